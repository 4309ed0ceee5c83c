import PostalMime from 'postal-mime';

export interface ReadMail {
  subject: string;
  text: string;
  html: string | null;
  attachments: string[];
}

/** Enough for what people look at; pictures come after it. */
const READ_BYTES = 40_000;
const HEADER_BYTES = 8_000;
const LINES = 2_000;

/**
 * Reads the beginning of a mail that a site wrote. The parser takes its time for each line, part and address, half a minute for 2 MB of line
 * breaks, and everybody else waits meanwhile: what is not made like a mail that somebody would send is not read.
 */
export async function readMail(message: Buffer): Promise<ReadMail | undefined> {
  const beginning = message.subarray(0, READ_BYTES);
  const headerEnd = beginning.indexOf('\r\n\r\n');
  if (headerEnd < 0 || headerEnd > HEADER_BYTES) return undefined;
  if (beginning.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0) > LINES) return undefined;
  const read = await PostalMime.parse(beginning, { rfc822Attachments: true }).catch(() => undefined);
  if (!read) return undefined;
  const { subject = '', text = '', html = null, attachments } = read;
  return { subject, text, html, attachments: attachments.map(({ filename }) => filename ?? 'without a name') };
}
