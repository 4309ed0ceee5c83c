import { buffer } from 'node:stream/consumers';
import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';
import type { ListedFile } from '#timemachine/read.ts';
import { snapshotNameOf, spaceOf } from './backup.place.ts';
import { listMoments } from './backup.sql.ts';

/** A content that a file had, from one backup to another, or that there was none. */
interface FileVersion {
  file: ListedFile | null;
  /** The oldest and the newest backup in a row that have it so. */
  from: Date;
  to: Date;
}

const AT_ONCE = 500;
const MAX_MS = 1_000;

/**
 * What a file was, newest first, at or before a point. It ends after `limit` versions or when it has taken long; `next` then asks for what is
 * older, and the last version may go on there.
 */
export async function historyOf(
  { db, hosts }: Services,
  site: SiteRef,
  path: string,
  before: Date,
  limit: number,
): Promise<{ versions: FileVersion[]; next: Date | null }> {
  const space = await spaceOf(db, site.id);
  const deadlineMs = performance.now() + MAX_MS;
  const versions: FileVersion[] = [];
  for (let point = before; ; ) {
    const moments = await listMoments(db, site.id, point, AT_ONCE);
    const found = await hosts.keptFileIn(site, space, moments.map(snapshotNameOf), path);
    for (const [index, { created_at: at }] of moments.entries()) {
      const file = found[index] ?? null;
      const last = versions.at(-1);
      if (last && last.file?.ref === file?.ref) last.from = at;
      else if (versions.length < limit) versions.push({ file, from: at, to: at });
      else return { versions, next: at };
    }
    const oldest = moments.at(-1)?.created_at;
    if (oldest === undefined || moments.length < AT_ONCE) return { versions, next: null };
    point = new Date(oldest.getTime() - 1);
    if (performance.now() > deadlineMs) return { versions, next: point };
  }
}

/** A file as the newest backup at or before the point has it; its content where that is no longer than this. */
export async function readKeptFile(
  { db, hosts }: Services,
  site: SiteRef,
  path: string,
  point: Date,
  maxBytes: number,
): Promise<{ file: ListedFile; content: Buffer | undefined } | undefined> {
  const space = await spaceOf(db, site.id);
  const moments = await listMoments(db, site.id, point, 1);
  const [file] = await hosts.keptFileIn(site, space, moments.map(snapshotNameOf), path);
  if (!file) return undefined;
  if (file.sizeBytes > maxBytes) return { file, content: undefined };
  const stream = await hosts.readKeptFile(site, space, file.ref, 0, file.sizeBytes);
  return { file, content: await buffer(stream) };
}
