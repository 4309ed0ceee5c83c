import { createHash } from 'node:crypto';
import { invalid } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { historyOf, LATEST, readKeptFile, signVersion } from '#features/backup/backup.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { answered, MAX_ENTRIES, MAX_MATCHES, MAX_TEXT_BYTES, viewFile } from './site-file.rules.ts';
import {
  type FileHistory,
  type FileQuery,
  type FileSearchQuery,
  type FoundFiles,
  fileNotFound,
  type HistoryQuery,
  type SiteFile,
} from './site-file.schema.ts';

const LISTED_VERSIONS = 50;

export async function readSiteFile(services: Services, site: SiteRow, query: FileQuery): Promise<SiteFile> {
  const { path = '', at } = query;
  return at === undefined
    ? answered('query', () => readNow(services, site, path))
    : answered('query', () => readAt(services, site, path, new Date(at)));
}

export async function readNow({ hosts }: Services, site: SiteRow, path: string): Promise<SiteFile> {
  const limits = { maxBytes: MAX_TEXT_BYTES, maxEntries: MAX_ENTRIES };
  return viewFile(path, await hosts.readEntry(site, path, limits));
}

async function readAt(services: Services, site: SiteRow, path: string, at: Date): Promise<SiteFile> {
  const kept = await readKeptFile(services, site, path, at, MAX_TEXT_BYTES);
  if (!kept) throw fileNotFound();
  const { file, content } = kept;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return viewFile(path, {
    entry: { name, kind: 'file', sizeBytes: file.sizeBytes, modifiedAtMs: file.modifiedUs / 1000 },
    ...(content && { content, version: createHash('sha256').update(content).digest('base64url') }),
  });
}

export async function searchSiteFiles(
  { hosts }: Services,
  site: SiteRow,
  { path = '', name, text }: FileSearchQuery,
): Promise<FoundFiles> {
  if ((name === undefined) === (text === undefined))
    throw invalid({ loc: ['query', 'name'], msg: 'Value error, give either name or text', type: 'value_error' });
  const { matches, isComplete } = await answered('query', () =>
    hosts.searchFiles(site, { path, name, text, limit: MAX_MATCHES }),
  );
  return { matches, is_complete: isComplete };
}

export async function readHistory(services: Services, site: SiteRow, query: HistoryQuery): Promise<FileHistory> {
  const before = query.before === undefined ? LATEST : new Date(query.before);
  const { versions, next } = await answered('query', () =>
    historyOf(services, site, query.path, before, LISTED_VERSIONS),
  );
  return {
    versions: versions.map(({ file, from, to }) => ({
      at: to,
      since: from,
      exists: file !== null,
      size: file?.sizeBytes ?? null,
      modified_at: file ? new Date(file.modifiedUs / 1000) : null,
      version_id: file ? signVersion(services, site.id, file.ref) : null,
    })),
    next_before: next,
  };
}
