/**
 * Whose mail it is. A site's PHP writes whatever it likes, and the platform's mail server would send it: without this,
 * one site could write as another, or as the platform. What is not plainly an address of the site's own domain becomes
 * one, and answers still go where the site wanted them.
 */
export interface MailOwner {
  /** What stands for an address that is none of the site's. */
  sender: string;
  /** The domains that the site may write for. */
  domains: readonly string[];
}

export const senderOf = (fqdn: string) => `wordpress@${fqdn}`;

/** Five hundred recipients at their longest, and then some. A header is read whole, by us, by the signature and by each receiver. */
const HEADER_BYTES = 200_000;
const HEADER_LINES = 5_000;

// A line may end in any of these three ways; written back, it ends in one, so that every reader sees the same fields.
const NEWLINE = '(?:\\r\\n|\\n|\\r(?!\\n))';
const LINE_END = new RegExp(NEWLINE);
const HEADER_END = new RegExp(`(?:^|${NEWLINE})${NEWLINE}`);
const FIELD = /^([!-9;-~]+)[ \t]*:(.*)$/s;

/** Longer names are left out: a line of a header has at most 998 bytes. */
const MAX_NAME_LENGTH = 300;
const NAME = /^(?:"(?:[^"\\]|\\.)*"|[^"(),:;<>@[\\\]]*)$/;
/** One address, with a name or without, and nothing that two readers could understand in two ways. */
const MAILBOX = /^(?:(?<name>[^<>]*)<)?(?<address>[^\s"(),:;<>@[\\\]]+@(?<domain>[a-z0-9.-]+))(?<end>>?)$/i;

interface Field {
  name: string;
  text: string;
}

/**
 * The message with one From that its site may use, and no Sender besides: its header, and its body as it is, to the byte. Undefined for what has a
 * header as no mail has one.
 */
export function asMailOf(message: Buffer, owner: MailOwner): [header: Buffer, body: Buffer] | undefined {
  // One character for each byte, whatever the message is encoded in.
  const text = message.toString('latin1', 0, HEADER_BYTES);
  const end = HEADER_END.exec(text);
  if (!end && message.length > HEADER_BYTES) return undefined;
  const lines = (end ? text.slice(0, end.index) : text).split(LINE_END, HEADER_LINES + 1);
  if (lines.length > HEADER_LINES) return undefined;
  const fields = readFields(lines);
  const body = end ? message.subarray(end.index + end[0].length) : Buffer.alloc(0);
  const from = fields.find(({ name }) => name === 'from');
  const others = fields.filter(({ name }) => name !== 'from' && name !== 'sender');
  const hasReplyTo = others.some(({ name }) => name === 'reply-to');
  const header = [...ownFrom(from, hasReplyTo, owner), ...others.map((field) => field.text)].join('\r\n');
  return [Buffer.from(`${header}\r\n\r\n`, 'latin1'), body];
}

/** Lines that are no field, nor the continuation of one, are left out: some readers take them for the header's end. */
function readFields(lines: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last && line.trim() !== '') last.text += `\r\n${line}`;
      continue;
    }
    const name = FIELD.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined) fields.push({ name, text: line });
  }
  return fields;
}

function ownFrom(from: Field | undefined, hasReplyTo: boolean, { sender, domains }: MailOwner): string[] {
  const value = (FIELD.exec(from?.text ?? '')?.[2] ?? '').replaceAll('\r\n', '').trim();
  const mailbox = readMailbox(value);
  if (from && mailbox && domains.includes(mailbox.domain)) return [from.text];
  const name = mailbox?.name ?? plainName(value);
  const lines = [name === '' ? `From: ${sender}` : `From: ${name} <${sender}>`];
  if (mailbox && !hasReplyTo) lines.push(`Reply-To: ${name === '' ? mailbox.address : `${name} <${mailbox.address}>`}`);
  return lines;
}

function readMailbox(value: string): { name: string; address: string; domain: string } | undefined {
  const { name, address = '', domain = '', end } = MAILBOX.exec(value)?.groups ?? {};
  const isClosed = (name === undefined) === (end === '');
  const spoken = name?.trim() ?? '';
  if (address === '' || !isClosed || !NAME.test(spoken)) return undefined;
  return { name: spoken.length > MAX_NAME_LENGTH ? '' : spoken, address, domain: domain.toLowerCase() };
}

/** What can be kept of a name in a From that makes no sense as a whole. */
function plainName(value: string): string {
  const name = (value.split('<')[0] ?? '').replaceAll(/["(),:;<>[\\\]]/g, ' ').trim();
  return name.includes('@') || name.length > MAX_NAME_LENGTH ? '' : name.replaceAll(/\s+/g, ' ');
}
