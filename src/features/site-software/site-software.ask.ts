import { randomBytes } from 'node:crypto';
import type { Services } from '#core/services.ts';
import { type SiteRow, specOf } from '#features/instance/instance.ts';
import { type Answer, readAnswer } from './site-software.read.ts';

/** A change as WordPress is told of it. */
export interface Wish {
  kind: 'plugin' | 'theme' | 'core' | 'php';
  action: 'update' | 'activate' | 'deactivate' | 'delete' | 'install';
  name: string;
  activate?: boolean;
}

const TIME_LIMIT_MS = 300_000;
const OUTPUT_BYTES = 1024 * 1024;
/** A plugin that breaks every page breaks this too, and is what somebody wants to be rid of. */
const WITHOUT_THEM = ['--skip-plugins', '--skip-themes'];

/** WordPress did not answer: it broke over what it was told to do, or was broken before. */
export class SoftwareBroke extends Error {
  /** What PHP said. */
  readonly said: string[];
  constructor(said: string[]) {
    super('WordPress broke while it was asked what it runs');
    this.name = 'SoftwareBroke';
    this.said = said;
  }
}

interface Manner {
  signal?: AbortSignal;
  /** It is part of the work that has the site to itself. */
  asHolder?: boolean;
}

/** Has the site's WordPress make the changes, in their order, and tell what it runs then. */
export async function askSite(services: Services, site: SiteRow, wishes: readonly Wish[], manner: Manner = {}) {
  const first = await askOnce(services, site, wishes, [], manner);
  if ('errors' in first) return first;
  const second = await askOnce(services, site, wishes, WITHOUT_THEM, manner);
  if ('errors' in second) return second;
  throw new SoftwareBroke(first.said);
}

async function askOnce(
  services: Services,
  site: SiteRow,
  wishes: readonly Wish[],
  flags: readonly string[],
  manner: Manner,
): Promise<Answer | { said: string[] }> {
  // Whatever a plugin prints before or after is not taken for the answer.
  const mark = `siteyard-${randomBytes(8).toString('hex')}:`;
  const { stdout, stderr } = await services.hosts.exec(specOf(services, site), {
    args: ['wp', 'siteyard-software', mark, JSON.stringify(wishes), ...flags],
    timeoutMs: TIME_LIMIT_MS,
    maxOutputBytes: OUTPUT_BYTES,
    ...manner,
  });
  manner.signal?.throwIfAborted();
  return readAnswer(stdout, mark) ?? { said: saidIn(stderr) };
}

const MOST_LINES = 5;
const LINE_LENGTH = 500;

function saidIn(stderr: string): string[] {
  const lines = stderr.split('\n').map((line) => line.replace(/^(?:PHP )+/, '').trim());
  const told = lines.filter((line) => /^(?:Fatal|Parse|Error|Warning)/.test(line));
  return [...new Set(told)].slice(0, MOST_LINES).map((line) => line.slice(0, LINE_LENGTH));
}
