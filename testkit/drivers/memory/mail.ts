import { randomBytes } from 'node:crypto';
import type { Turn } from './turn.ts';

export interface Mail {
  to: string;
  bcc?: string;
  subject: string;
  text: string;
}

/** Puts a message into the outbox as the platform's plugin does (plugin/class-siteyard-mailer.php); what is offline mails nobody. */
export async function sendMail(turn: Turn, { to, bcc, subject, text }: Mail): Promise<boolean> {
  if (turn.site.isOffline) return false;
  const from = `wordpress@${new URL(turn.site.url).hostname}`;
  const lines = [
    `Date: ${new Date().toUTCString()}`,
    `To: ${to}`,
    `From: WordPress <${from}>`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=UTF-8',
  ];
  const message = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}\r\n`).toString('base64');
  const name = `mail-${Math.floor(Date.now() / 1000)}-${randomBytes(6).toString('hex')}.json`;
  await turn.leave(name, JSON.stringify({ from, to: [to, ...(bcc ? [bcc] : [])], message }));
  return true;
}
