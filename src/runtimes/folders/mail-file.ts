import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { OutgoingMail } from '#runtimes/runtime.ts';

/**
 * A mail in the outbox: `{"from":…,"to":[…],"message":"…"}`, with the message in base64 at the end, as the platform's plugin writes it
 * (class-siteyard-mailer.php). PHP can write anything else there, up to the size of an honest mail with its attachments. So only the short
 * beginning is parsed as JSON, and the message is read in pieces: everybody else's turn comes in between.
 */
const MAIL_LIMIT_BYTES = 30 * 1024 * 1024;
const RECIPIENTS = 500;
const ADDRESS_LENGTH = 320;
/** All recipients at their longest. */
const BEGINNING_BYTES = 200_000;
const PIECE_BYTES = 96 * 1024;
/** Inside a text of JSON these quotes would be escaped, so this is the name of a field. */
const MESSAGE = Buffer.from('"message":"');
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;
const LAST_BYTES = 8;
const END = /"\}\s*$/;

export type WrittenMail = Pick<OutgoingMail, 'from' | 'to' | 'message'>;

/** Undefined for whatever is no such mail. */
export async function readMailFile(file: string): Promise<WrittenMail | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {});
  if (!handle) return undefined;
  try {
    const entry = await handle.stat();
    if (!entry.isFile() || entry.size > MAIL_LIMIT_BYTES) return undefined;
    const beginning = await readAt(handle, 0, BEGINNING_BYTES);
    const at = beginning.indexOf(MESSAGE);
    const envelope = at < 0 ? undefined : readEnvelope(beginning.toString('utf8', 0, at));
    const message = envelope && (await readMessage(handle, at + MESSAGE.length, entry.size));
    return message && { ...envelope, message };
  } catch {
    return undefined;
  } finally {
    await handle.close().catch(() => {});
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function readEnvelope(beginning: string): Pick<WrittenMail, 'from' | 'to'> | undefined {
  const { from, to }: Record<string, unknown> = JSON.parse(`${beginning}"message":""}`);
  const isList = Array.isArray(to) && to.length > 0 && to.length <= RECIPIENTS && to.every(isAddress);
  return isAddress(from) && isList ? { from, to } : undefined;
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= ADDRESS_LENGTH && /^[^\s@<>]+@[^\s@<>]+$/.test(value);
}

/** PHP writes the slashes of base64 with a backslash in front. */
async function readMessage(handle: FileHandle, start: number, size: number): Promise<Buffer | undefined> {
  const lastAt = Math.max(start, size - LAST_BYTES);
  const closing = END.exec((await readAt(handle, lastAt, LAST_BYTES)).toString('latin1'));
  if (!closing) return undefined;
  const end = lastAt + closing.index;
  // Once for all of it: to join the pieces of a mail of 20 MB at the end would take as long as many visitors' pages.
  const message = Buffer.allocUnsafe(Math.ceil((end - start) / 4) * 3);
  let length = 0;
  let rest = '';
  for (let position = start; position < end; ) {
    const piece = await readAt(handle, position, Math.min(PIECE_BYTES, end - position));
    const text = piece.toString('latin1').replaceAll('\\', '');
    // It became shorter meanwhile, or is no message.
    if (piece.length === 0 || NOT_BASE64.test(text)) return undefined;
    position += piece.length;
    const base64 = rest + text;
    const whole = base64.length - (base64.length % 4);
    length += message.write(base64.slice(0, whole), length, 'base64');
    rest = base64.slice(whole);
  }
  length += message.write(rest, length, 'base64');
  return message.subarray(0, length);
}
