import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#core/durable-folder.ts';
import { isPlatform, openSecrets, WrongKey } from '#core/platform-key.ts';
import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import { type Config, ConfigError } from '../config.ts';
import { lostKey } from './missing-data.ts';

export async function openOwnSecrets(config: Config, db: Services['db']): Promise<Secrets> {
  const key = config.secretKey ?? (await readOrMakeKey(config.dataDir, db));
  const before = config.previousSecretKeys.filter((each) => each !== key);
  return openSecrets(db, [key, ...before]).catch((error) => {
    throw error instanceof WrongKey ? new ConfigError([error.message]) : error;
  });
}

/** The platform's key, for this process and those that it starts. It exists once the secrets were opened. */
export async function ownKey({ secretKey, dataDir }: Config): Promise<string> {
  const key = secretKey ?? (await readKey(keyFile(dataDir)));
  if (key === undefined) throw lostKey(dataDir);
  return key;
}

const keyFile = (dataDir: string) => join(dataDir, 'secret.key');

async function readOrMakeKey(dataDir: string, db: Services['db']): Promise<string> {
  const file = keyFile(dataDir);
  const isUsed = await isPlatform(db);
  // Another process writes the key before the database knows of it, so the file is looked for last.
  const key = await readKey(file);
  if (key !== undefined) return key;
  if (isUsed) throw lostKey(dataDir);
  await makeKey(file);
  return (await readKey(file)) as string;
}

async function readKey(file: string): Promise<string | undefined> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (key !== undefined && key.trim().length < 32)
    throw new ConfigError([`${file} contains no valid key. Restore the file from a copy, or set SECRET_KEY`]);
  return key?.trim();
}

/** Losing the platform's key makes every sealed value unreadable, so nothing is ever written over one. */
async function makeKey(file: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  // Fails where a key exists already, be it made this moment by another process.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  // What is sealed with the key is in the database a moment later, so its name has to last as well.
  await syncFolder(dirname(file));
}
