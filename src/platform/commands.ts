import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { rejectStaleBuild } from '#core/build-stamp.ts';
import { DataDirInUseError } from '#core/db/embedded/data-dir-lock.ts';
import { createLog } from '#core/log.ts';
import { StartupError } from '#core/startup-error.ts';
import type { Env } from '../config/read-variables.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { DiskFullError } from './disk-reserve.ts';
import { examine } from './doctor/doctor.ts';
import { keepInStore, listInStore, takeFromStore } from './own-backup/in-store.ts';
import { backUpPlatform, OwnBackupRefused, restorePlatform } from './own-backup/own-backup.ts';
import { UnreadableFile } from './own-backup/sealed-file.ts';

const MARKS = { ok: '  ok   ', advice: '  note ', fault: '  FAULT' };
/** In place of a file: the store of backups. */
const STORE = 'store';
const SHORTEST_PASSPHRASE = 12;

/** One command of the service's own program; the exit code. */
export async function runCommand(command: string, args: string[], env: Env): Promise<number> {
  try {
    if (command === 'doctor') return await runDoctor(args, env);
    return command === 'backup-platform' ? await runBackup(args, env) : await runRestore(args, env);
  } catch (error) {
    const plain = [
      ConfigError,
      DataDirInUseError,
      DiskFullError,
      OwnBackupRefused,
      StartupError,
      UnreadableFile,
      Misused,
    ];
    const isPlain = plain.some((kind) => error instanceof kind);
    if (!isPlain && (error as { code?: string }).code !== 'ENOENT') throw error;
    console.error((error as Error).message);
    return 1;
  }
}

async function runDoctor(args: string[], env: Env): Promise<number> {
  const options = { json: { type: 'boolean', default: false }, offline: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const findings = await examine(env, { isOffline: values.offline });
  const isFit = findings.every(({ state }) => state !== 'fault');
  if (values.json) console.log(JSON.stringify({ is_fit: isFit, findings }, null, 2));
  else {
    for (const { state, name, found, advice } of findings) {
      console.log(`${MARKS[state]} ${name}: ${found}`);
      if (advice !== null) console.log(`          ${advice}`);
    }
    console.log(isFit ? 'This machine can run the platform.' : 'Something that is needed is missing.');
  }
  return isFit ? 0 : 1;
}

class Misused extends Error {}

const USAGE = {
  'backup-platform': `Usage: backup-platform FILE|${STORE} --passphrase-file=FILE`,
  'restore-platform': `Usage: restore-platform FILE --passphrase-file=FILE
       restore-platform ${STORE} --list
       restore-platform ${STORE} [--backup=NAME | --not-after=TIME] --passphrase-file=FILE`,
};

async function runBackup(args: string[], env: Env): Promise<number> {
  const options = { 'passphrase-file': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file] = positionals;
  if (file === undefined) throw new Misused(USAGE['backup-platform']);
  const passphrase = await readPassphrase(values['passphrase-file'], USAGE['backup-platform']);
  const config = readConfig(env);
  if (file === STORE) {
    const { saved } = await backUpPlatform(config, passphrase, (write) => keepInStore(config.backupStore, write));
    console.log(`The backup is stored as ${saved}.`);
  } else {
    const { rows } = await backUpPlatform(config, passphrase, (write) => write(file));
    console.log(`${file} holds the database (${rows} rows) and the key of the platform.`);
  }
  return 0;
}

async function runRestore(args: string[], env: Env): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      'passphrase-file': { type: 'string' },
      list: { type: 'boolean', default: false },
      backup: { type: 'string' },
      'not-after': { type: 'string' },
    },
    allowPositionals: true,
  });
  const { list, backup: name } = values;
  const usage = USAGE['restore-platform'];
  const [file] = positionals;
  const isChoice = list || name !== undefined || values['not-after'] !== undefined;
  if (file === undefined || (isChoice && file !== STORE)) throw new Misused(usage);
  const config = readConfig(env);
  if (list) return listBackups(config);
  rejectStaleBuild();
  const notAfter = values['not-after'] === undefined ? undefined : readTime(values['not-after']);
  const passphrase = await readPassphrase(values['passphrase-file'], usage);
  const read = (from: string) => restorePlatform(config, from, passphrase, createLog(config.logLevel));
  const restored = file === STORE ? takeFromStore(config.backupStore, { name, notAfter }, read) : read(file);
  const { rows, at, previousKeysFile } = await restored;
  console.log(`${rows} rows and the key are as they were at ${at}. Start the service now.`);
  if (previousKeysFile !== undefined)
    console.log(`The key was being changed: start with SECRET_KEY_PREVIOUS set to what is in ${previousKeysFile}.`);
  return 0;
}

async function listBackups({ backupStore }: Config): Promise<number> {
  const backups = await listInStore(backupStore);
  for (const { name, sizeBytes } of backups) console.log(`${name}  ${Math.ceil(sizeBytes / 1024)} KB`);
  if (backups.length === 0) console.log('The store has no backup of the platform.');
  return 0;
}

async function readPassphrase(file: string | undefined, usage: string): Promise<string> {
  if (file === undefined) throw new Misused(usage);
  const passphrase = (await readFile(file, 'utf8')).trim();
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new Misused(
      `The passphrase in ${file} is shorter than ${SHORTEST_PASSPHRASE} characters. Write a longer one.`,
    );
  return passphrase;
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new Misused(`--not-after is not a valid time: ${text}. Write it as 2026-11-19T14:55:00Z.`);
  return time;
}
