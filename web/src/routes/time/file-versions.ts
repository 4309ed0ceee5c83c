import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';
import type { FileChange } from './changes.ts';

/** One state of a file, as far as it can be shown. */
export type FileVersion =
  | { kind: 'absent' }
  | { kind: 'text'; text: string; sizeBytes: number }
  | { kind: 'image'; url: string; sizeBytes: number }
  | { kind: 'other'; sizeBytes: number };

const mostTextBytes = 1_000_000;
const mostImageBytes = 8_000_000;

const imageTypes: Record<string, string> = {
  avif: 'image/avif',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** A file as it is now and as it was. A version never changes, so it is read once. */
export const fileVersionsQuery = ({ fqdn, stage }: Place, { key, version_id_now, version_id }: FileChange) =>
  queryOptions({
    queryKey: ['file-versions', fqdn, stage, key, version_id_now, version_id],
    queryFn: async ({ signal }) => {
      const wanted = [version_id_now, version_id];
      const version_ids = wanted.filter((id) => id !== null);
      const keys = version_ids.map(() => key);
      const { urls } =
        keys.length > 0
          ? await api.createBlobUrls({ params: { fqdn }, query: { stage }, body: { keys, version_ids }, signal })
          : { urls: [] };
      const [now, past] = await Promise.all(
        wanted.map((id): Promise<FileVersion> | FileVersion => {
          const link = urls.find(({ version_id: named }) => named === id);
          return link ? readVersion(link.url, key, signal) : { kind: 'absent' };
        }),
      );
      return { now: now as FileVersion, past: past as FileVersion };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

async function readVersion(link: string, key: string, signal: AbortSignal): Promise<FileVersion> {
  const type = imageTypes[key.split('.').at(-1)?.toLowerCase() ?? ''];
  const most = type ? mostImageBytes : mostTextBytes;
  // The platform may be reached by another name than the one that links carry; the path is the same.
  const { pathname, search } = new URL(link);
  const response = await fetch(`${pathname}${search}`, { signal, headers: { range: `bytes=0-${most - 1}` } });
  const sizeBytes = Number(response.headers.get('content-range')?.split('/')[1]);
  // Of an empty file there is no first byte.
  if (response.status === 416) return { kind: 'text', text: '', sizeBytes: 0 };
  if (!response.ok) throw new Error(`the file could not be read: ${response.status}`);
  if (sizeBytes > most) return { kind: 'other', sizeBytes };
  const bytes = await response.arrayBuffer();
  if (type) return { kind: 'image', url: await dataUrl(new Blob([bytes], { type })), sizeBytes };
  const text = decode(bytes);
  return text === undefined ? { kind: 'other', sizeBytes } : { kind: 'text', text, sizeBytes };
}

function decode(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A picture that is part of the page's own text: nothing has to be given back later. */
function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
