import { join } from 'node:path';
import { inTransaction } from '#core/db/database.ts';
import { AppError } from '#core/errors.ts';
import { tooLarge } from '#core/http/failures.ts';
import type { Call } from '#core/http/operation.ts';
import { type Upload, withUpload } from '#core/http/upload.ts';
import type { Services } from '#core/services.ts';
import { goesOn, requireIdle } from '#features/hold/hold.ts';
import { markStorageStale, recordSiteEvent, type SiteRow, siteOrStage } from '#features/instance/instance.ts';
import { requireStorage } from '#features/site/site.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import type { ByteSource, ContentEntry, SeenVersion, WrittenFile } from '#host/site-host.ts';
import { findSyntaxError } from './site-file.php.ts';
import { answered, MAX_TEXT_BYTES, MAX_UPLOAD_BYTES, viewEntry } from './site-file.rules.ts';
import {
  type ChangedFile,
  type FileMove,
  fileChanged,
  fileExists,
  type PhpFault,
  type SavedFile,
  type UploadQuery,
} from './site-file.schema.ts';
import { readNow } from './site-file.ts';

/** Files are changed before there is a transaction, which then only tells of it: the file system takes no part in one. */
type SiteCall = Pick<
  Call<unknown, { stage?: boolean | undefined }, unknown, SiteRow>,
  'db' | 'services' | 'subject' | 'query'
>;

export interface Change {
  site: SiteRow;
  /** As in `changed themes/mine/style.css`. */
  did: string;
  path: string;
  entry: ContentEntry | undefined;
  version: string | null;
  syntaxError: PhpFault | null;
}

/** The site, where it may be changed now by so much. */
async function requireSite(call: SiteCall, addedBytes: number): Promise<SiteRow> {
  const { services, subject, query } = call;
  const site = await siteOrStage(services.db, subject, query.stage);
  if (!goesOn(site.busy)) requireIdle(site);
  await inTransaction(services.db, async (tx) => {
    const team = await lockWorkingTeam(tx, site.team_id);
    if (addedBytes > 0) await requireStorage(tx, team, addedBytes);
  });
  return site;
}

export async function saveFile(call: SiteCall, { path, content, version }: SavedFile): Promise<Change> {
  const { services } = call;
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_TEXT_BYTES) throw tooLarge();
  const site = await requireSite(call, bytes.length - (await sizeNow(call, path)));
  const source = {
    sizeBytes: bytes.length,
    read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
  };
  const seen = version === undefined ? null : { version, maxBytes: MAX_TEXT_BYTES };
  const written = await write(services, site, path, source, seen).catch(async (error) => {
    // Whoever comes second decides between the two, and so has to see the other one.
    const isConflict = error instanceof AppError && [fileChanged.code, fileExists.code].includes(error.code);
    if (!isConflict) throw error;
    const current = await readNow(services, site, path).catch(() => null);
    throw fileChanged({ data: { current } });
  });
  const syntaxError = await findSyntaxError(services, site, path);
  return { site, did: `changed the file ${path}`, path, entry: written, version: written.version, syntaxError };
}

/** What does not grow is written in a site whose storage is used up, too: it may be what mends it. */
async function sizeNow({ services, subject, query }: SiteCall, path: string): Promise<number> {
  const site = await siteOrStage(services.db, subject, query.stage);
  const { entry } = await services.hosts
    .readEntry(site, path, { maxBytes: 0, maxEntries: 0 })
    .catch(() => ({ entry: undefined }));
  return entry?.sizeBytes ?? 0;
}

const write = (
  services: Services,
  site: SiteRow,
  path: string,
  content: ByteSource,
  seen: SeenVersion,
): Promise<WrittenFile> => answered('body', () => services.hosts.writeFile(site, path, content, seen));

export async function uploadFile(call: SiteCall, { path, replace }: UploadQuery, upload: Upload): Promise<Change> {
  const { services } = call;
  await requireSite(call, upload.sizeBytes ?? 1);
  const limits = { folder: join(services.config.dataDir, 'uploads'), maxBytes: MAX_UPLOAD_BYTES };
  return withUpload(upload, limits, async (kept) => {
    // After the bytes have come, which takes as long as their sender likes.
    const site = await requireSite(call, kept.sizeBytes);
    const written = await answered('query', () => services.hosts.writeFile(site, path, kept, replace ? 'any' : null));
    const syntaxError = await findSyntaxError(services, site, path);
    return { site, did: `uploaded the file ${path}`, path, entry: written, version: written.version, syntaxError };
  });
}

export async function makeFolder(call: SiteCall, path: string): Promise<Change> {
  const site = await requireSite(call, 0);
  const entry = await answered('body', () => call.services.hosts.makeFolder(site, path));
  return { site, did: `made the folder ${path}`, path, entry, version: null, syntaxError: null };
}

export async function moveFile(call: SiteCall, { path, new_path }: FileMove): Promise<Change> {
  const site = await requireSite(call, 0);
  const entry = await answered('body', () => call.services.hosts.moveEntry(site, path, new_path));
  return { site, did: `moved ${path} to ${new_path}`, path: new_path, entry, version: null, syntaxError: null };
}

export async function deleteFile(call: SiteCall, path: string): Promise<Change> {
  const site = await requireSite(call, 0);
  await answered('query', () => call.services.hosts.removeEntry(site, path));
  return { site, did: `deleted ${path}`, path, entry: undefined, version: null, syntaxError: null };
}

/** What is written down of a change: its path, and nothing of what is in the file. */
export async function recordChange(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { site, did, path }: Change,
): Promise<void> {
  await markStorageStale(db, site.id);
  await recordSiteEvent(db, caller, site, {
    event_type: 'site.updated',
    activity: `${caller.fullName} ${did} of ${site.fqdn}`,
    detail: { path },
  });
}

export function viewChange({ path, entry, version, syntaxError }: Change & { entry: ContentEntry }): ChangedFile {
  return { path, ...viewEntry(entry), version, syntax_error: syntaxError };
}
