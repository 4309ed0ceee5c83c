import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Log } from '#core/log.ts';
import { type Mailer, MailRefused, type Message, type RawMessage } from '#core/mail.ts';
import { nextTurn } from '#core/turns.ts';

export interface MailOptions {
  smtpUrl: string | undefined;
  from: string;
  /** Where mail is written when there is no SMTP server. */
  folder: string;
  log: Log;
}

/**
 * Mail leaves by SMTP when a server is configured; otherwise each message becomes a file that the log names. nodemailer, which is 5 MB of
 * memory, is loaded for the first message.
 */
export function createMailer({ smtpUrl, from, folder, log }: MailOptions): Mailer {
  return smtpUrl ? smtpMailer(smtpUrl, from) : folderMailer(folder, from, log);
}

/** A message keeps its id when a job sends it again, so that mail servers recognise the second one. */
const compose = (from: string, { id, to, subject, text, html, headers = {} }: Message) => ({
  from,
  to,
  subject,
  text,
  html,
  headers,
  messageId: `<${id}@siteyard>`,
});

/** What nodemailer takes for a message that is complete but for its signature. */
const composeRaw = ({ from, to, message, dkim }: RawMessage) => ({
  envelope: { from, to: [...to] },
  raw: Readable.from(piecesOf(message)),
  ...(dkim && { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey } }),
});

const PIECE_BYTES = 32 * 1024;

/** A message may have 20 MB, and is signed and escaped byte by byte: whatever else waits has its turn between two pieces. */
async function* piecesOf(message: RawMessage['message']): AsyncGenerator<Buffer> {
  for (const part of message)
    for (let start = 0; start < part.length; start += PIECE_BYTES) {
      yield part.subarray(start, start + PIECE_BYTES);
      await nextTurn();
    }
}

/** The server wants the platform to sign in, or to do so in another way. That is mended by the operator. */
const SIGN_IN_REPLIES = [530, 534, 535, 538];

interface SmtpError extends Error {
  code?: string;
  /** What the server said; nothing where it was not asked. */
  response?: string;
  responseCode?: number;
}

/**
 * Whether this message is what is refused: its sender, its recipients or its content (EENVELOPE, EMESSAGE), with a final
 * reply or by nodemailer itself, which asks nobody then. A greeting or a sign-in that fails says nothing of the message.
 */
function isPermanent({ code, response, responseCode = 0 }: SmtpError): boolean {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return response === undefined || (responseCode >= 500 && !SIGN_IN_REPLIES.includes(responseCode));
}

function smtpMailer(url: string, from: string): Mailer {
  const transport = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport(url, {
      connectionTimeout: 10_000,
      socketTimeout: 30_000,
      greetingTimeout: 10_000,
    } as object);
  };
  return {
    async send(message) {
      await (await transport()).sendMail(compose(from, message));
    },
    async sendRaw(message) {
      await (await transport()).sendMail(composeRaw(message)).catch((error: SmtpError) => {
        throw isPermanent(error) ? new MailRefused(error.message, { cause: error }) : error;
      });
    },
  };
}

/** No line of a letter begins with two of these. */
const BOUNDARY = '=_part_of_a_letter';

const part = (type: string, content: string) =>
  `--${BOUNDARY}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${content}\n`;

/** Its parts as they are, the plain one first, so that a link in it can be copied: no transfer encoding that would break its lines. */
function folderMailer(folder: string, from: string, log: Log): Mailer {
  const keep = async (id: string, content: string | Readable): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${id}.eml`);
    // Written whole or not at all, and over itself when the job runs again.
    await writeFile(`${file}.part`, content, { mode: 0o600 });
    await rename(`${file}.part`, file);
    return file;
  };
  return {
    async sendRaw(raw) {
      const { createTransport } = await import('nodemailer');
      const hash = createHash('sha256');
      for await (const piece of piecesOf(raw.message)) hash.update(piece);
      const id = hash.update(raw.to.join()).digest('hex').slice(0, 32);
      const { message } = await createTransport({ streamTransport: true }).sendMail(composeRaw(raw));
      const file = await keep(id, message as Readable);
      log.info({ to: raw.to, file }, 'mail written to a file; set SMTP_URL to send it');
    },
    async send(message) {
      const headers = {
        From: from,
        To: message.to,
        Subject: message.subject,
        Date: new Date().toUTCString(),
        'Message-ID': compose(from, message).messageId,
        ...message.headers,
        'MIME-Version': '1.0',
        'Content-Type': `multipart/alternative; boundary="${BOUNDARY}"`,
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}`);
      const parts = [part('text/plain', message.text), part('text/html', message.html), `--${BOUNDARY}--\n`];
      const file = await keep(message.id, `${lines.join('\n')}\n\n${parts.join('')}`);
      log.info({ to: message.to, subject: message.subject, file }, 'mail written to a file; set SMTP_URL to send it');
    },
  };
}
