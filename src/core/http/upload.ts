import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { malformed, tooLarge } from './failures.ts';
import { whileArriving } from './slow-requests.ts';

/** A body that is too large for memory, as it arrives. */
export interface Upload {
  stream: Readable;
  /** Undefined where the sender does not say. */
  sizeBytes: number | undefined;
}

/** A body that is all there. */
interface KeptUpload {
  sizeBytes: number;
  read(offset: number, length: number): Promise<Buffer>;
}

/**
 * Keeps a body in a file for as long as the work takes. The file has no name by the time that something is in it, so nothing of it is left
 * however this process ends.
 */
export async function withUpload<T>(
  upload: Upload,
  { folder, maxBytes }: { folder: string; maxBytes: number },
  work: (kept: KeptUpload) => Promise<T>,
): Promise<T> {
  if ((upload.sizeBytes ?? 0) > maxBytes) throw tooLarge();
  const file = await openNameless(folder);
  try {
    const sizeBytes = await receive(upload.stream, file, maxBytes);
    return await work({
      sizeBytes,
      async read(offset, length) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await file.close();
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  // With it go the empty ones of processes that were killed between these two lines. Whoever else is between them does not mind.
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
  return file;
}

async function receive(stream: Readable, file: FileHandle, maxBytes: number): Promise<number> {
  if (!(stream instanceof IncomingMessage)) return write(stream, file, maxBytes);
  try {
    return await whileArriving(stream, () => write(stream, file, maxBytes));
  } catch (error) {
    if (stream.destroyed && !stream.complete) throw malformed();
    // Who is refused while they still send reads why when they have sent it all.
    stream.resume();
    throw error;
  }
}

async function write(stream: Readable, file: FileHandle, maxBytes: number): Promise<number> {
  let size = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    await file.appendFile(chunk);
  }
  return size;
}
