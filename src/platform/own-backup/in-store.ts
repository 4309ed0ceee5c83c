import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskStore } from '#timemachine/stores/disk.ts';
import type { StorePlace } from '#timemachine/stores/open-store.ts';
import { S3Store } from '#timemachine/stores/s3.ts';
import type { Store } from '#timemachine/stores/store.ts';
import { OwnBackupRefused } from './own-backup.ts';
import { UnreadableFile } from './sealed-file.ts';

const PREFIX = 'platform';
const KEPT = 30;

/** The store without what seals it: a file that a passphrase opens needs nothing of a platform that may be gone. */
const openPlain = (place: StorePlace): Store =>
  place.kind === 'disk' ? new DiskStore(place.folder) : new S3Store(place.account);

/** A backup of the platform in the store. Its name is the time at which it was taken. */
export interface StoredBackup {
  name: string;
  at: Date;
  sizeBytes: number;
}

/** Which backup to restore: the one with this name, or the newest that is not later than this time; the newest otherwise. */
export interface BackupChoice {
  name?: string | undefined;
  notAfter?: Date | undefined;
}

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

/** Lists the backups of the platform, newest first. */
export async function listInStore(place: StorePlace): Promise<StoredBackup[]> {
  const objects = await openPlain(place).list(PREFIX);
  return objects
    .map(({ key, sizeBytes }) => {
      const name = key.slice(PREFIX.length + 1);
      return { name, at: timeOf(name), sizeBytes };
    })
    .filter(({ at }) => Number.isFinite(at.getTime()))
    .reverse();
}

const timeOf = (name: string) => new Date(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));

export async function takeFromStore<T>(
  place: StorePlace,
  choice: BackupChoice,
  read: (file: string) => Promise<T>,
): Promise<T> {
  const { name } = chooseBackup(await listInStore(place), choice);
  const bytes = await openPlain(place).get(`${PREFIX}/${name}`);
  return inScratch(async (file) => {
    await writeFile(file, bytes, { mode: 0o600 });
    return read(file).catch((error) => {
      if (!(error instanceof UnreadableFile)) throw error;
      throw new UnreadableFile(
        `The backup ${name} in the store is damaged, or the passphrase is another one. Nothing was changed. If the passphrase is right, choose an older backup: restore-platform store --list, then --backup=NAME.`,
      );
    });
  });
}

function chooseBackup(backups: readonly StoredBackup[], { name, notAfter }: BackupChoice): StoredBackup {
  if (backups.length === 0)
    throw new OwnBackupRefused(
      'The store has no backup of the platform. Check BACKUP_STORE, or restore from a file that backup-platform wrote.',
    );
  const found = backups.find((each) => (name === undefined ? !notAfter || each.at <= notAfter : each.name === name));
  if (found) return found;
  const asked = name === undefined ? `from ${notAfter?.toISOString()} or before` : `named ${name}`;
  throw new OwnBackupRefused(
    `The store has no backup of the platform ${asked}. The oldest is ${backups.at(-1)?.name}, the newest ${backups[0]?.name}; restore-platform store --list shows all.`,
  );
}

async function inScratch<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-platform-'));
  try {
    return await work(join(folder, 'backup'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
