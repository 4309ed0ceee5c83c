import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArchiveRefused } from './archive-refused.ts';
import type { ArchiveLimits } from './entry.ts';
import { archiveEntries } from './open-archive.ts';
import { type SiteLayout, siteLayout } from './site-layout.ts';

export interface UnpackedSite {
  /** The names of its plugins' folders. */
  plugins: string[];
  themes: string[];
  /** What the readme beside the content says. */
  readme: string | null;
}

const MAX_README_BYTES = 64 * 1024;

/** Where the parts of the site go; nothing is there yet, but the folder around them. */
export interface UnpackTarget {
  content: string;
  dump: string;
}

/**
 * Takes the content and the dump of a site out of an archive, and nothing else. The names are all read before the first byte is
 * written. Files come without their modes, so nothing is ever executable or anybody else's; there are no links to be led away by.
 */
export async function unpackSite(file: string, limits: ArchiveLimits, target: UnpackTarget): Promise<UnpackedSite> {
  const layout = await readLayout(file, limits);
  const site: UnpackedSite = { plugins: layout.plugins, themes: layout.themes, readme: null };
  await mkdir(target.content, { mode: 0o700 });
  for await (const { path, isFolder, content } of archiveEntries(file, limits)) {
    if (path === layout.dump) await writeNew(target.dump, content());
    else if (path === layout.readme) site.readme = await readStart(content());
    else {
      const below = layout.contentPath(path);
      if (below === undefined) continue;
      const place = join(target.content, below);
      if (isFolder) await mkdir(place, { recursive: true, mode: 0o700 });
      else await writeNew(place, content());
    }
  }
  return site;
}

async function readLayout(file: string, limits: ArchiveLimits): Promise<SiteLayout> {
  const files: string[] = [];
  for await (const { path, isFolder } of archiveEntries(file, limits)) if (!isFolder) files.push(path);
  return siteLayout(files);
}

async function writeNew(place: string, content: AsyncIterable<Buffer>): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(place, { flags: 'wx', mode: 0o600 }));
}

async function readStart(content: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    if (length < MAX_README_BYTES) chunks.push(chunk);
    length += chunk.length;
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_README_BYTES).toString();
  if (text.includes('\0')) throw new ArchiveRefused('its readme is no text');
  return text;
}
