import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { rejectStaleBuild } from '#core/build-stamp.ts';
import { createLog } from '#core/log.ts';
import { StartupError } from '#core/startup-error.ts';
import type { Env } from '../config/read-variables.ts';
import { ConfigError, readConfig } from '../config.ts';
import { examine } from './doctor/doctor.ts';
import { keepInStore, takeFromStore } from './own-backup/in-store.ts';
import { backUpPlatform, OwnBackupRefused, restorePlatform } from './own-backup/own-backup.ts';
import { UnreadableFile } from './own-backup/sealed-file.ts';

const MARKS = { ok: '  ok   ', advice: '  note ', fault: '  FAULT' };
/** In place of a file: the store of backups. */
const STORE = 'store';
const SHORTEST_PASSPHRASE = 12;

/** One command of the service's own program; the exit code. */
export async function runCommand(command: string, args: string[], env: Env): Promise<number> {
  try {
    return command === 'doctor' ? await runDoctor(args, env) : await runOwnBackup(command, args, env);
  } catch (error) {
    const isPlain = [ConfigError, OwnBackupRefused, StartupError, UnreadableFile, Misused].some(
      (kind) => error instanceof kind,
    );
    if (!isPlain && (error as { code?: string }).code !== 'ENOENT') throw error;
    console.error((error as Error).message);
    return 1;
  }
}

async function runDoctor(args: string[], env: Env): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const findings = await examine(env);
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

async function runOwnBackup(command: string, args: string[], env: Env): Promise<number> {
  const options = { 'passphrase-file': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file] = positionals;
  const passphraseFile = values['passphrase-file'];
  if (file === undefined || passphraseFile === undefined)
    throw new Misused(`Usage: ${command} FILE|${STORE} --passphrase-file=FILE`);
  const passphrase = (await readFile(passphraseFile, 'utf8')).trim();
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new Misused(`The passphrase in ${passphraseFile} is shorter than ${SHORTEST_PASSPHRASE} signs`);
  const config = readConfig(env);
  if (command === 'backup-platform') {
    const write = (into: string) => backUpPlatform(config, into, passphrase);
    if (file === STORE) console.log(`The store of backups has it as ${await keepInStore(config.backupStore, write)}.`);
    else console.log(`${file} holds the database (${(await write(file)).rows} rows) and the key of the platform.`);
  } else {
    rejectStaleBuild();
    const read = (from: string) => restorePlatform(config, from, passphrase, createLog(config.logLevel));
    const { rows, at, previousKeysFile } = await (file === STORE
      ? takeFromStore(config.backupStore, read)
      : read(file));
    console.log(`${rows} rows and the key are as they were at ${at}. Start the service now.`);
    if (previousKeysFile !== undefined)
      console.log(`The key was being changed: start with SECRET_KEY_PREVIOUS set to what is in ${previousKeysFile}.`);
  }
  return 0;
}
