import PostalMime from 'postal-mime';
import type { Db } from '#core/db/database.ts';
import type { WaitingMail } from '#host/site-host.ts';
import { deleteOldHeldMails, insertHeldMail } from './held-mail.sql.ts';

/** What a stage mails is somebody's test: the newest are enough. */
const KEPT = 200;
const TEXT_LIMIT = 100_000;
/** Longer ones are said to have come, and not read. */
const READ_BYTES = 2_000_000;

/** Keeps what a stage wanted to mail, instead of sending it. */
export async function holdMail(db: Db, siteId: string, mail: WaitingMail): Promise<'drop'> {
  await insertHeldMail(db, { site_id: siteId, sender: mail.from, recipients: mail.to, ...(await read(mail)) });
  await deleteOldHeldMails(db, siteId, KEPT);
  return 'drop';
}

async function read({ message, writtenAt }: WaitingMail) {
  const isLong = message.length > READ_BYTES;
  const { subject, text, html, attachments } = await PostalMime.parse(isLong ? message.subarray(0, 0) : message);
  return {
    subject: isLong ? '(too long to be shown)' : clean(subject ?? ''),
    text: clean(text ?? ''),
    html: html === undefined ? null : clean(html),
    attachments: attachments.map(({ filename }) => clean(filename ?? 'without a name').slice(0, 255)).slice(0, 100),
    written_at: writtenAt,
  };
}

/** Postgres takes no NUL. */
const clean = (text: string) => text.replaceAll('\0', '').slice(0, TEXT_LIMIT);
