import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskStore } from '#timemachine/stores/disk.ts';
import type { StorePlace } from '#timemachine/stores/open-store.ts';
import { S3Store } from '#timemachine/stores/s3.ts';
import type { Store } from '#timemachine/stores/store.ts';
import { OwnBackupRefused } from './own-backup.ts';

const PREFIX = 'platform';
const KEPT = 30;

/** The store without what seals it: a file that a passphrase opens needs nothing of a platform that may be gone. */
const openPlain = (place: StorePlace): Store =>
  place.kind === 'disk' ? new DiskStore(place.folder) : new S3Store(place.account);

/** Puts the file that is written into the store of backups, and lets the oldest go; its name there. */
export async function keepInStore(place: StorePlace, write: (file: string) => Promise<unknown>): Promise<string> {
  const store = openPlain(place);
  const key = `${PREFIX}/${new Date().toISOString().replaceAll(':', '-')}`;
  await inScratch(async (file) => {
    await write(file);
    await store.put(key, [await readFile(file)]);
  });
  for (const name of (await store.names(PREFIX)).slice(0, -KEPT)) await store.delete(`${PREFIX}/${name}`);
  return key;
}

/** The newest there is. */
export async function takeFromStore<T>(place: StorePlace, read: (file: string) => Promise<T>): Promise<T> {
  const store = openPlain(place);
  const name = (await store.names(PREFIX)).at(-1);
  if (name === undefined) throw new OwnBackupRefused('The store of backups has none of the platform');
  return inScratch(async (file) => {
    await writeFile(file, await store.get(`${PREFIX}/${name}`), { mode: 0o600 });
    return read(file);
  });
}

async function inScratch<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-platform-'));
  try {
    return await work(join(folder, 'backup'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
