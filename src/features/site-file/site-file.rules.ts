import { type AppError, invalid } from '#core/errors.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { FileRefused } from '#host/file-refused.ts';
import type { ReadEntry } from '#host/site-host.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import {
  fileChanged,
  fileDenied,
  fileExists,
  fileNotFound,
  notAFile,
  type SiteFile,
  type SiteFileEntry,
  tooMuch,
} from './site-file.schema.ts';

/** What is larger is not edited in a browser. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024;
export const MAX_UPLOAD_BYTES = 256 * 1024 * 1024;
export const MAX_ENTRIES = 5_000;
export const MAX_MATCHES = 200;

/** The same with what the host says of files in the API's words. */
export async function answered<T>(where: 'query' | 'body', act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SiteFailure && error.reason === 'stopped') throw siteBusy();
    throw error instanceof FileRefused ? toAnswer(error, where) : error;
  }
}

function toAnswer({ refusal, message }: FileRefused, where: 'query' | 'body'): AppError {
  switch (refusal) {
    case 'missing':
    case 'not_a_folder':
      return fileNotFound();
    case 'exists':
      return fileExists();
    case 'changed':
      return fileChanged();
    case 'not_a_file':
      return notAFile();
    case 'denied':
      return fileDenied();
    case 'too_much':
      return tooMuch();
    case 'into_itself':
      return invalid({
        loc: [where, 'new_path'],
        msg: 'Value error, this is in the folder itself',
        type: 'value_error',
      });
    case 'bad_path':
      return invalid({ loc: [where, 'path'], msg: `Value error, ${message}`, type: 'value_error' });
  }
}

export function viewEntry({ name, kind, sizeBytes, modifiedAtMs }: Pick<ReadEntry, 'entry'>['entry']): SiteFileEntry {
  return { name, kind, size: sizeBytes, modified_at: new Date(modifiedAtMs) };
}

export function viewFile(path: string, { entry, folder, content, version = undefined }: ReadEntry): SiteFile {
  const text = content && readText(content);
  return {
    path,
    ...viewEntry(entry),
    // Whoever did not see the content has nothing to go on from.
    version: text === undefined ? null : (version ?? null),
    content: text ?? null,
    not_shown: entry.kind !== 'file' || text !== undefined ? null : content ? 'binary' : 'too_large',
    entries: folder?.entries.map(viewEntry) ?? null,
    is_truncated: folder?.isTruncated ?? false,
  };
}

/** Undefined for what would not be the same when it was written again. */
function readText(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
