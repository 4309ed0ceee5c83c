import { posix } from 'node:path';
import type { Caller } from '#core/auth/caller.ts';
import { type Db, inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { AppError, type Fault, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { cutNow } from '#features/backup-clock/backup-clock.ts';
import { requireIdle, siteBusy } from '#features/hold/hold.ts';
import {
  recordSiteEvent,
  roomFor as roomInPlan,
  type SiteRow,
  siteOrStage,
  specOf,
} from '#features/instance/instance.ts';
import { findWorkingTeam } from '#features/team/team.ts';
import { FileRefused } from '#host/file-refused.ts';
import { type Command, type CommandResult, SiteFailure } from '#runtimes/runtime.ts';
import {
  backupFailed,
  type ShellResult,
  type ShellWish,
  shellUnavailable,
  tooManyCommands,
} from './site-shell.schema.ts';

const TIME_LIMIT_MS = 120_000;
const STREAM_BYTES = 1024 * 1024;
const COMMANDS_OF_A_TEAM = 5;
const BACKUP_WAIT_MS = 30_000;
const FIRST_WORD_LENGTH = 40;

type RestorePoint = NonNullable<ShellResult['restore_point']>;

export interface RanCommand {
  site: SiteRow;
  result: ShellResult;
}

/** Runs one command in a site's shell. Its text may hold secrets, so nothing of it is kept but its first word. */
export async function runShellCommand(
  call: Call,
  live: SiteRow,
  wish: ShellWish,
  where: 'query' | 'body',
): Promise<RanCommand> {
  const { db, services, caller } = call;
  const { cmd, cwd, stdin, auto_track_dir: tracked, stage, snapshot_first: isKeptFirst } = wish;
  if (cmd === undefined) throw invalid({ loc: [where, 'cmd'], msg: 'Field required', type: 'missing' });
  refuseNul(wish, where);
  const trackedPath = readTrackedPath(tracked, where);
  const site = await siteOrStage(db, live, stage);
  requireIdle(site);
  const maxDiskBytes = await roomFor(db, site);
  const name = firstWord(cmd);
  return oneOfSome(services, site.team_id, async () => {
    const before = isKeptFirst ? await keepBefore(services, site, name) : null;
    await noteCommand(services, caller, site, cmd);
    const limits = { timeoutMs: TIME_LIMIT_MS, maxOutputBytes: STREAM_BYTES, maxDiskBytes, signal: call.gone() };
    const ran = await exec(services, site, {
      args: ['bash', '-c', cmd],
      ...(cwd !== undefined && { cwd }),
      ...(stdin !== undefined && { stdin }),
      ...limits,
    });
    if (ran.isCwdMissing)
      throw invalid({ loc: [where, 'cwd'], msg: 'Value error, there is no such folder', type: 'value_error' });
    const kept =
      trackedPath === undefined ? { point: null, failure: null } : await keepAfter(services, site, name, trackedPath);
    const result = {
      exit_code: ran.exitCode,
      stdout: ran.stdout,
      stderr: ran.stderr,
      duration_ms: ran.durationMs,
      truncated: ran.truncated,
      restore_point: kept.point,
      restore_point_before: before,
      backup_failure: kept.failure,
    };
    return { site, result };
  });
}

/** Its text may hold secrets: the first word and the length are all that is told of it. */
export function noteCommand(services: Services, caller: Caller, site: SiteRow, cmd: string): Promise<string> {
  const name = firstWord(cmd);
  return inTransaction(services.db, (tx) =>
    recordSiteEvent(tx, caller, site, {
      event_type: 'site.shell',
      activity: `${caller.fullName} ran ${name} in the shell of ${site.fqdn}`,
      detail: { first_word: name, command_length: cmd.length },
    }),
  );
}

/** The content root as every shell shows it. */
const CONTENT = '/site/wordpress/wp-content';
const UNTRACKED = ['', 'false', '0', 'no'];
const WHOLE_CONTENT = ['true', '1', 'yes'];

/** Returns the tracked folder as a path below wp-content, or undefined if none is tracked. */
function readTrackedPath(tracked: string | undefined, where: string): string | undefined {
  if (tracked === undefined || UNTRACKED.includes(tracked.toLowerCase())) return undefined;
  if (WHOLE_CONTENT.includes(tracked.toLowerCase())) return '';
  const path = posix.relative(CONTENT, posix.resolve(CONTENT, tracked));
  if (path === '..' || path.startsWith('../') || tracked.includes('\0'))
    throw invalid({
      loc: [where, 'auto_track_dir'],
      msg: 'Value error, not a folder in wp-content',
      type: 'value_error',
    });
  return path;
}

async function isFolder({ hosts }: Services, site: SiteRow, path: string): Promise<boolean> {
  try {
    return (await hosts.readEntry(site, path, { maxBytes: 0, maxEntries: 0 })).entry.kind === 'folder';
  } catch (error) {
    if (error instanceof FileRefused) return false;
    throw error;
  }
}

/** What can be no argument of a program. */
function refuseNul({ cmd, cwd }: ShellWish, where: string): void {
  const faults: Fault[] = Object.entries({ cmd, cwd })
    .filter(([, value]) => value?.includes('\0'))
    .map(([name]) => ({ loc: [where, name], msg: 'Value error, it holds a NUL', type: 'value_error' }));
  if (faults.length > 0) throw invalid(...faults);
}

/** What the site may grow to while somebody works in its shell: what it has, and what the plan has left. */
export async function roomFor(db: Db, site: SiteRow): Promise<number> {
  return roomInPlan(db, site, await findWorkingTeam(db, site.team_id));
}

function firstWord(cmd: string): string {
  return (/^\s*([\w./-]+)/.exec(cmd)?.[1] ?? 'a command').slice(0, FIRST_WORD_LENGTH);
}

/** So many commands of a team at a time, whichever processes of the platform they run in. */
async function oneOfSome<T>({ locks }: Services, teamId: string, work: () => Promise<T>): Promise<T> {
  for (let place = 1; place <= COMMANDS_OF_A_TEAM; place++) {
    let isIn = false;
    try {
      return await locks.alone(`command ${place} of team ${teamId}`, 0, () => {
        isIn = true;
        return work();
      });
    } catch (error) {
      if (isIn || !(error instanceof LockBusy)) throw error;
    }
  }
  throw tooManyCommands();
}

async function exec(services: Services, site: SiteRow, command: Command): Promise<CommandResult> {
  try {
    return await services.hosts.exec(specOf(services, site), command);
  } catch (error) {
    if (!(error instanceof SiteFailure)) throw error;
    throw error.reason === 'stopped' ? siteBusy() : shellUnavailable();
  }
}

async function keep(services: Services, site: SiteRow, name: string): Promise<RestorePoint> {
  const { hash, timeMs } = await cutNow(services, site.id, BACKUP_WAIT_MS);
  return { name, commit_hash: hash, created_at: new Date(timeMs) };
}

async function keepBefore(services: Services, site: SiteRow, name: string): Promise<RestorePoint> {
  try {
    return await keep(services, site, name);
  } catch (error) {
    if (error instanceof AppError) throw error;
    services.log.warn({ err: error, siteId: site.id }, 'the backup before a command failed');
    throw error instanceof LockBusy ? siteBusy() : backupFailed();
  }
}

/** The command has run by then, and what it said is not lost for a backup that failed: the next minute takes another. */
async function keepAfter(services: Services, site: SiteRow, name: string, path: string) {
  try {
    if (!(await isFolder(services, site, path)))
      return { point: null, failure: `There is no folder ${path} after the command, so no backup of it was taken.` };
    return { point: await keep(services, site, name), failure: null };
  } catch (error) {
    services.log.warn({ err: error, siteId: site.id }, 'the backup after a command failed');
    return { point: null, failure: 'The backup could not be taken now; the next one is due within a minute.' };
  }
}
