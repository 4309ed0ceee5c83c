import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Outbound } from '#core/outbound.ts';

/** Where WordPress is released: who tells the newest version, and who has its archive. */
export interface ReleaseSource {
  api: string;
  downloads: string;
}

const ASK_LIMIT_MS = 10_000;
const DOWNLOAD_LIMIT_MS = 300_000;
const TEXT_LIMIT_BYTES = 1_000_000;
const ARCHIVE_LIMIT_BYTES = 200_000_000;

/** The newest version that is released, as WordPress itself asks for it. */
export async function newestRelease(outbound: Outbound, source: ReleaseSource): Promise<string> {
  const answer = JSON.parse(await fetchText(outbound, `${source.api}/core/version-check/1.7/`)) as {
    offers?: { version?: string }[];
  };
  const version = answer.offers?.[0]?.version ?? '';
  if (!/^\d+(\.\d+){1,2}$/.test(version)) throw new Error(`${source.api} names no version`);
  return version;
}

/** Downloads a release and checks it against the hash that is published beside it. */
export async function downloadRelease(
  outbound: Outbound,
  source: ReleaseSource,
  version: string,
  folder: string,
): Promise<string> {
  const url = `${source.downloads}/wordpress-${version}.tar.gz`;
  const published = (await fetchText(outbound, `${url}.sha1`)).trim().toLowerCase();
  const file = join(folder, `wordpress-${version}.tar.gz`);
  const hash = createHash('sha1');
  const response = await get(outbound, url, DOWNLOAD_LIMIT_MS);
  await pipeline(
    response,
    async function* (chunks: AsyncIterable<Buffer>) {
      let length = 0;
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length > ARCHIVE_LIMIT_BYTES) throw new Error(`${url} is too large`);
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  if (!/^[0-9a-f]{40}$/.test(published) || hash.digest('hex') !== published) {
    throw new Error(`${url} does not have the hash that is published for it`);
  }
  return file;
}

async function fetchText(outbound: Outbound, url: string): Promise<string> {
  let text = '';
  for await (const chunk of (await get(outbound, url, ASK_LIMIT_MS)).setEncoding('utf8')) {
    text += chunk;
    if (text.length > TEXT_LIMIT_BYTES) throw new Error(`${url} answers too much`);
  }
  return text;
}

function get(outbound: Outbound, url: string, limitMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = outbound.request(url, { method: 'GET', signal: AbortSignal.timeout(limitMs) });
    request.once('error', reject);
    request.once('response', (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      reject(new Error(`${url} answers ${response.statusCode}`));
    });
    request.end();
  });
}
