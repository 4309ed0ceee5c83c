import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncFolder } from '#core/durable-folder.ts';

const MAGIC = Buffer.from('SYPLAT1\n');
const [SALT_BYTES, NONCE_BYTES, TAG_BYTES] = [16, 12, 16];
const HEAD_BYTES = MAGIC.length + SALT_BYTES + NONCE_BYTES;
/** About a tenth of a second and 32 MB for each passphrase that somebody tries. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export class UnreadableFile extends Error {}

/** Lines in a file that only a passphrase opens: gzip, then AES-256-GCM, whose tag is the end. It has its name once it is whole and on disk. */
export async function writeSealedLines(file: string, passphrase: string, lines: AsyncIterable<string>): Promise<void> {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce);
  const draft = `${file}.new`;
  try {
    const out = createWriteStream(draft, { mode: 0o600, flush: true });
    out.write(Buffer.concat([MAGIC, salt, nonce]));
    const text = Readable.from(withBreaks(lines), { objectMode: false });
    await pipeline(text, createGzip({ level: 6 }), cipher, out, { end: false });
    out.end(cipher.getAuthTag());
    await finished(out);
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** What it yields is proven to be what was written only when it has come to its end. */
export async function* readSealedLines(file: string, passphrase: string): AsyncGenerator<string> {
  const handle = await open(file);
  const head = Buffer.alloc(HEAD_BYTES);
  const tag = Buffer.alloc(TAG_BYTES);
  let size: number;
  try {
    ({ size } = await handle.stat());
    await handle.read(head, 0, HEAD_BYTES, 0);
    await handle.read(tag, 0, TAG_BYTES, Math.max(0, size - TAG_BYTES));
  } finally {
    await handle.close();
  }
  if (!head.subarray(0, MAGIC.length).equals(MAGIC) || size < HEAD_BYTES + TAG_BYTES)
    throw new UnreadableFile(`${file} is no backup of a platform`);
  const salt = head.subarray(MAGIC.length, MAGIC.length + SALT_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, salt), head.subarray(-NONCE_BYTES));
  decipher.setAuthTag(tag);
  const gunzip = createGunzip();
  const sealed = createReadStream(file, { start: HEAD_BYTES, end: size - TAG_BYTES - 1 });
  const work = pipeline(sealed, decipher, gunzip).catch(() => {
    throw new UnreadableFile(`${file} is damaged, or the passphrase is another one`);
  });
  // Told below, when the lines have ended.
  work.catch(() => {});
  try {
    if (size > HEAD_BYTES + TAG_BYTES) yield* linesOf(gunzip.setEncoding('utf8'));
  } catch {
    // The pipeline says why.
  }
  await work;
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Node's readline would also split at U+2028 and U+2029, which JSON has as they are. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const chunk of text) {
    const [first = '', ...others] = chunk.split('\n');
    begun.push(first);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
}

const keyOf = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize('NFC'), salt, 32, COST);
