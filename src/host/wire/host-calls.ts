import type { Readable } from 'node:stream';
import type { LeaseOptions, SiteFailure } from '#runtimes/runtime.ts';
import type { FileRoot, HostedSpec, Place, SiteHost, SiteRef } from '../site-host.ts';

/**
 * The calls that can be asked of a host as they are, with what each begins with. What runs is asked for in two steps, since it stays
 * where it is.
 */
const HOST_CALLS = {
  prepared: 'place',
  shell: 'place',
  coreVersions: 'place',
  phpVersions: 'place',
  make: 'spec',
  inspect: 'place',
  archive: 'site',
  delete: 'site',
  list: 'place',
  moveDatabase: 'site',
  activeTheme: 'site',
  numbers: 'site',
  spreadNumbers: 'site',
  diskUsageBytes: 'site',
  endOrphans: 'place',
  warmUp: 'spec',
  stop: 'site',
  fileIdentity: 'file',
  readFile: 'file',
  readFilePart: 'file',
  isFolder: 'file',
  readEntry: 'site',
  writeFile: 'site',
  makeFolder: 'site',
  moveEntry: 'site',
  removeEntry: 'site',
  searchFiles: 'site',
  packFolder: 'site',
  exec: 'spec',
  prepareEditor: 'site',
  editorState: 'site',
  wakeEditor: 'spec',
  connectEditor: 'site',
  stopEditor: 'site',
  terminal: 'spec',
  terminals: 'site',
  endTerminal: 'site',
  program: 'spec',
  eachMail: 'site',
  hasOutgoingMail: 'site',
  snapshot: 'site',
  plan: 'site',
  compare: 'site',
  compareCopy: 'site',
  tell: 'site',
  restore: 'site',
  moveRows: 'site',
  rehearse: 'site',
  discardRehearsal: 'site',
  recover: 'site',
  shareCut: 'site',
  sendKept: 'site',
  forget: 'site',
  prune: 'place',
  check: 'place',
  checkSite: 'site',
  keptSnapshots: 'site',
  keptFiles: 'site',
  findKeptFiles: 'site',
  keptFileIn: 'site',
  keptFileSize: 'site',
  readKeptFile: 'site',
  keptDump: 'site',
  appendLog: 'site',
  readLog: 'site',
  groupErrors: 'site',
  endOfLog: 'site',
  readLogOn: 'site',
  removeLog: 'site',
  deploy: 'site',
} satisfies Record<Exclude<keyof SiteHost, 'start'>, 'place' | 'site' | 'spec' | 'file'>;

export type HostCall = keyof typeof HOST_CALLS;
export const hostCalls = Object.keys(HOST_CALLS) as HostCall[];

/** Whoever asks may name a site by its whole row, which is nobody else's business. */
export function firstArgument(name: HostCall, given: unknown): unknown {
  const { id, host, driver, root } = given as SiteRef & FileRoot;
  const kind = HOST_CALLS[name];
  if (kind === 'spec') return given;
  return { host, driver, ...(kind === 'site' && { id }), ...(kind === 'file' && { root }) };
}

/** What a site's processes are asked for over the wire. */
export interface ServingCalls {
  start(site: HostedSpec): Promise<{ isAwake: boolean }>;
  /** A connection to the site, for one request; the lease ends with it. */
  lease(site: HostedSpec, id: string, options: LeaseOptions, signal: AbortSignal): Promise<Readable>;
  /** Why the connection of a lease broke. */
  leaseFailure(at: Place, id: string): Promise<Pick<SiteFailure, 'reason' | 'message'> | undefined>;
}

export const servingCalls = ['start', 'lease', 'leaseFailure'] as const satisfies (keyof ServingCalls)[];
