import type { GitVerdicts } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { withoutLastSlashes } from '#core/slashes.ts';
import { findBackupByHash, LISTED_NOT_SAVED, spaceOf } from '#features/backup/backup.ts';
import { cutNow } from '#features/backup-clock/backup-clock.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { type LeftOut, whyNever } from './commit.never.ts';
import { type BroughtFiles, FOLDERS } from './git-sync.files.ts';

/** What a site has changed of what Git brought to it, by a snapshot of it: never by files that are being written. */
export interface SiteChange {
  path: string;
  change: 'added' | 'changed' | 'deleted';
  sizeBytes: number;
  isExecutable: boolean;
  /** What it is now, by its name in the time machine; null where it is gone. */
  ref: string | null;
  /** The plugin, theme or file that it is of. */
  folder: string;
  /** The repository knows nothing of that folder: it is the site's own until somebody names it. */
  isNew: boolean;
}

export interface SiteChanges {
  point: SnapshotName;
  changes: SiteChange[];
  leftOut: { path: string; reason: LeftOut }[];
}

const CUT_WAIT_MS = 20_000;
const CUTS = 3;
const MAX_FILES = 200_000;

/** Too many files to be compared. */
export class TooMany extends Error {}

/** The site as it is, kept in one piece: while files are being written there is none, and it is looked at again. */
export async function cutWhole(services: Services, siteId: string): Promise<SnapshotName> {
  let before: string | undefined;
  for (let cut = 1; ; cut++) {
    const point = await cutNow(services, siteId, CUT_WAIT_MS);
    const backup = await findBackupByHash(services.db, siteId, point.hash);
    // Where nothing came since the last one, nobody is writing.
    if (backup?.is_consistent || point.hash === before || cut >= CUTS) return point;
    before = point.hash;
  }
}

export async function readChanges(
  services: Services,
  site: SiteRow,
  brought: BroughtFiles,
  point: SnapshotName,
): Promise<SiteChanges> {
  const { db, hosts } = services;
  const space = await spaceOf(db, site.id);
  const [now, links] = [new Map<string, { ref: string; sizeBytes: number; mode: number }>(), new Set<string>()];
  for (const folder of FOLDERS) {
    const part = { prefix: `${folder}/`, limit: MAX_FILES };
    const listed = await hosts.keptFiles(site, space, point, part);
    if (listed.isTruncated) throw new TooMany();
    for (const file of listed.files) now.set(file.path, file);
    for (const path of listed.links) links.add(path);
  }
  const isUnread = await unreadBy(services, site, point);
  const known = new Set([...Object.keys(brought.files), ...Object.keys(brought.links)].map(folderOf));
  const found: SiteChanges = { point, changes: [], leftOut: [] };
  const add = (path: string, change: SiteChange['change'], sizeBytes = 0, mode = 0, ref: string | null = null) => {
    const folder = folderOf(path);
    const isExecutable = (mode & 0o100) !== 0;
    found.changes.push({ path, change, sizeBytes, isExecutable, ref, folder, isNew: !known.has(folder) });
  };
  const leaveOut = (path: string, reason: LeftOut) => found.leftOut.push({ path, reason });
  for (const path of links) if (!(path in brought.links)) leaveOut(path, 'link');
  for (const [path, { ref, sizeBytes, mode }] of now) {
    const before = brought.files[path];
    if (before?.[1] === ref) continue;
    const never = path in brought.links ? 'link' : whyNever(path);
    if (never) leaveOut(path, never);
    else add(path, before ? 'changed' : 'added', sizeBytes, mode, ref);
  }
  for (const path of Object.keys(brought.files)) {
    if (now.has(path) || links.has(path)) continue;
    const above = foldersAbove(path);
    if ([...above, path].some(isUnread)) leaveOut(path, 'unread');
    // Whether it is there behind the link is nobody's to say.
    else if (above.some((folder) => links.has(folder))) leaveOut(path, 'link');
    else if (whyNever(path)) leaveOut(path, 'secret');
    else add(path, 'deleted');
  }
  found.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return found;
}

/** Without what the rules of the repository keep out: of what Git does not have, as with git itself. */
export async function withRules(
  { git }: Services,
  found: SiteChanges,
  { prefix, rules }: NonNullable<BroughtFiles['repository']>,
): Promise<SiteChanges & { filtered: GitVerdicts['filtered'] }> {
  const paths = found.changes.map(({ path }) => `${prefix}${path}`);
  const { ignored, unexported, filtered } = await git.judge(rules, paths);
  const reasons = new Map<string, LeftOut>();
  for (const { path, change } of found.changes) {
    if (change !== 'added') continue;
    if (unexported.has(`${prefix}${path}`)) reasons.set(path, 'unexported');
    if (ignored.has(`${prefix}${path}`)) reasons.set(path, 'ignored');
  }
  return {
    ...found,
    filtered: new Map([...filtered].map(([path, by]) => [path.slice(prefix.length), by])),
    changes: found.changes.filter(({ path }) => !reasons.has(path)),
    leftOut: [...found.leftOut, ...[...reasons].map(([path, reason]) => ({ path, reason }))],
  };
}

/** What the snapshot has not, although the site does. Its list of that may not be the whole one. */
async function unreadBy({ db }: Services, site: SiteRow, point: SnapshotName): Promise<(path: string) => boolean> {
  const notSaved = (await findBackupByHash(db, site.id, point.hash))?.not_saved ?? [];
  const names = new Set(notSaved.filter(({ kind }) => kind === 'file').map(({ name }) => name));
  return (path) => notSaved.length >= LISTED_NOT_SAVED || names.has(path);
}

/** A plugin or a theme by its folder, or the file that is one. Languages are one thing. */
function folderOf(path: string): string {
  const [top = '', name] = path.split('/');
  return top === 'languages' ? top : `${top}/${name}`;
}

export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** Those that somebody named, files and folders; otherwise all of what the repository knows. */
export function chosenOf({ changes }: SiteChanges, paths: readonly string[] | undefined): SiteChange[] {
  if (paths === undefined) return changes.filter(({ isNew }) => !isNew);
  const named = new Set(paths.map(withoutLastSlashes));
  return changes.filter(({ path }) => named.has(path) || foldersAbove(path).some((folder) => named.has(folder)));
}
