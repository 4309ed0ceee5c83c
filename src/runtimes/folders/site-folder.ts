import { existsSync } from 'node:fs';
import { lstat, mkdir, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { giveFolder } from '#core/file-owner.ts';
import type { SiteStorage } from '#runtimes/runtime.ts';

/**
 * What a site is on disk: `content` is WordPress' wp-content, `outbox` is what the site leaves for the platform. PHP sees
 * these folders and nothing beside them, where the time machine keeps what is its own.
 */
const SITE_FOLDERS = ['content', 'database', 'outbox'];
export const DATABASE_FILE = '.ht.sqlite';

export function databaseFile(siteFolder: string): string {
  return join(siteFolder, 'database', DATABASE_FILE);
}

export function storageIn(siteFolder: string): SiteStorage {
  return {
    content: join(siteFolder, 'content'),
    database: { kind: 'sqlite', file: databaseFile(siteFolder) },
    staging: join(siteFolder, 'restoring'),
    state: join(siteFolder, 'archive-state'),
  };
}

export async function makeSiteFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const name of SITE_FOLDERS) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
}

/** Makes what the site's own processes see of it theirs. */
export function giveSiteFolder(folder: string, uid: number): void {
  for (const name of SITE_FOLDERS) if (existsSync(join(folder, name))) giveFolder(join(folder, name), uid);
}

/** Bytes on disk, as the operating system counts them. Links are not followed. */
export async function diskUsageBytes(siteFolder: string): Promise<number> {
  let bytes = 0;
  const folders = SITE_FOLDERS.map((name) => join(siteFolder, name));
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    // A folder may be huge, and may vanish while it is being read.
    const entries = await opendir(current).catch(() => undefined);
    for await (const entry of entries ?? []) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      bytes += await lstat(path).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      );
    }
  }
  return bytes;
}
