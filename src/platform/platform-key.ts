import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#core/durable-folder.ts';
import { openSecrets, WrongKey } from '#core/platform-key.ts';
import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import { type Config, ConfigError } from '../config.ts';

export async function openOwnSecrets(config: Config, db: Services['db']): Promise<Secrets> {
  const key = await ownKey(config);
  const before = config.previousSecretKeys.filter((each) => each !== key);
  return openSecrets(db, [key, ...before]).catch((error) => {
    throw error instanceof WrongKey ? new ConfigError([error.message]) : error;
  });
}

/** What the platform's key is, for this process and those that it starts. */
export async function ownKey({ secretKey, dataDir }: Config): Promise<string> {
  return secretKey ?? readOrMakeKey(join(dataDir, 'secret.key'));
}

/** Losing the platform's key makes every sealed value unreadable, so nothing is ever written over one. */
async function readOrMakeKey(file: string): Promise<string> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  // Fails where a key exists already, be it made this moment by another process.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  // What is sealed with the key is in the database a moment later, so its name has to last as well.
  await syncFolder(dirname(file));
  const key = (await readFile(file, 'utf8')).trim();
  if (key.length < 32) throw new Error(`${file} holds no key; restore it, or set SECRET_KEY`);
  return key;
}
