import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';
import { deleteOldHeldMails, insertHeldMail } from './held-mail.sql.ts';
import { type ReadMail, readMail } from './mail-reader.ts';

/** What a stage mails is somebody's test: so many are enough, of all and of what comes at once. */
const KEPT = 200;
/** Reading keeps the process for some milliseconds, and a stage that mails without a pause comes again every few seconds. */
const READ_AT_ONCE = 20;
const SUBJECT_LIMIT = 1_000;
const TEXT_LIMIT = 20_000;
const UNREAD: ReadMail = { subject: '(this mail can not be shown)', text: '', html: null, attachments: [] };

/** Keeps what a stage wanted to mail, instead of sending it. */
export async function holdMails({ db, hosts }: Services, site: SiteRef): Promise<void> {
  let count = 0;
  await hosts.eachMail(site, async ({ from, to, message, writtenAt }) => {
    if (++count > KEPT) return 'drop';
    const read = count > READ_AT_ONCE ? undefined : await readMail(message);
    const { subject, text, html, attachments } = read ?? UNREAD;
    await insertHeldMail(db, {
      site_id: site.id,
      sender: clean(from, SUBJECT_LIMIT),
      recipients: to.map((address) => clean(address, SUBJECT_LIMIT)),
      subject: clean(subject, SUBJECT_LIMIT),
      text: clean(text, TEXT_LIMIT),
      html: html === null ? null : clean(html, TEXT_LIMIT),
      attachments: attachments.slice(0, 100).map((name) => clean(name, 255)),
      written_at: writtenAt,
    });
    return 'drop';
  });
  await deleteOldHeldMails(db, site.id, KEPT);
}

/** Postgres takes no NUL. */
const clean = (text: string, limit: number) => text.replaceAll('\0', '').slice(0, limit);
