import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Account } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';

/**
 * The role owns its database and may make further ones (tests do), but is no superuser: a flaw in our SQL must not
 * become a way to the machine's files. The superuser can not log in at all; pg_hba.conf names this role alone.
 */
export const ROLE = 'siteyard';
export const DATABASE = 'siteyard';

const INIT_PREFIX = 'init-';

interface ClusterOptions {
  dataDir: string;
  cluster: string;
  account: Account;
  binaries: PostgresBinaries;
  /** False only where losing everything in a power cut is fine. */
  durable: boolean;
}

/** Makes the cluster in a directory aside and renames it, so that a kill at any instant leaves a whole one or none. */
export async function createCluster(options: ClusterOptions, password: string): Promise<void> {
  const { dataDir, cluster, account, binaries, durable } = options;
  const fresh = mkdtempSync(join(dataDir, INIT_PREFIX));
  try {
    account.own(fresh);
    await run(account, binaries.initdb, [
      ...['-D', fresh, '-U', 'postgres', '--auth=reject', '--encoding=UTF8'],
      // The built-in locale sorts the same on every machine, so a moved data directory keeps its indexes valid.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ]);
    writeFileSync(join(fresh, 'pg_hba.conf'), `local all ${ROLE} scram-sha-256\n`, { flush: durable });
    await runSql({ ...options, cluster: fresh }, [
      `create role ${ROLE} login createdb password '${password}'`,
      // Lets the role drop a database of its own while autovacuum is looking at it.
      `grant pg_signal_backend to ${ROLE}`,
      `create database ${DATABASE} owner ${ROLE}`,
    ]);
    renameSync(fresh, cluster);
    if (durable) syncDirectory(dataDir);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** For a cluster whose password file was lost, as when only the cluster was restored from a backup. */
export async function changePassword(options: ClusterOptions, password: string): Promise<void> {
  await runSql(options, [`alter role ${ROLE} password '${password}'`]);
}

/** What a killed creation left. An initdb that outlived its parent may still be writing; the next start sweeps again. */
export function sweepUnfinishedClusters(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(INIT_PREFIX)) continue;
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    } catch {}
  }
}

export function readPassword(dataDir: string): string | undefined {
  const file = join(dataDir, 'password');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

export function writeNewPassword(dataDir: string): string {
  const password = randomBytes(24).toString('hex');
  const file = join(dataDir, 'password');
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncDirectory(dataDir);
  return password;
}

/** Speaks to the stopped cluster in single-user mode, which needs no password and lets nobody else in meanwhile. */
async function runSql({ cluster, account, binaries, durable }: ClusterOptions, statements: string[]): Promise<void> {
  const settings = [
    'exit_on_error=on',
    // A failing statement is not repeated in the message, since it may hold the password.
    'log_min_error_statement=panic',
    `fsync=${durable ? 'on' : 'off'}`,
  ];
  const args = ['--single', '-j', '-D', cluster, ...settings.flatMap((setting) => ['-c', setting]), 'template1'];
  await run(account, binaries.postgres, args, statements.map((statement) => `${statement};\n\n`).join(''));
}

async function run(account: Account, program: string, args: string[], input = ''): Promise<void> {
  const child = account.spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  // A program that fails before it reads everything says why on stderr; the broken pipe adds nothing.
  child.stdin?.on('error', () => {}).end(input);
  const [end, complaint] = await Promise.all([ended, child.stderr ? text(child.stderr) : '']);
  if (end !== 'code 0') throw new Error(`${program} failed (${end}): ${complaint.trim()}`);
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
