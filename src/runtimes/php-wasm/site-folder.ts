import { lstat, mkdir, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What a site is on disk: `content` is WordPress' wp-content, `outbox` is what the site leaves for the platform. */
export const DATABASE_FILE = '.ht.sqlite';

export function databaseFile(siteFolder: string): string {
  return join(siteFolder, 'database', DATABASE_FILE);
}

export async function makeSiteFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const name of ['content', 'database', 'outbox'])
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
}

/** Bytes on disk, as the operating system counts them. Links are not followed. */
export async function diskUsageBytes(folder: string): Promise<number> {
  let bytes = 0;
  const folders = [folder];
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
