import PostalMime from 'postal-mime';
import type { Services } from '#core/services.ts';
import type { SiteRef, WaitingMail } from '#host/site-host.ts';
import { deleteOldHeldMails, insertHeldMail } from './held-mail.sql.ts';

/** What a stage mails is somebody's test: so many are enough, of all and of what comes at once. */
const KEPT = 200;
const SUBJECT_LIMIT = 1_000;
const TEXT_LIMIT = 20_000;
/** Longer ones are said to have come, and not read. */
const READ_BYTES = 2_000_000;
const UNREAD: ReadMail = { subject: '(this mail can not be shown)', text: '', html: null, attachments: [] };

interface ReadMail {
  subject: string;
  text: string;
  html: string | null;
  attachments: string[];
}

/** Keeps what a stage wanted to mail, instead of sending it. */
export async function holdMails({ db, hosts }: Services, site: SiteRef): Promise<void> {
  let count = 0;
  await hosts.eachMail(site, async (mail) => {
    if (count++ < KEPT) {
      const { from, to, writtenAt } = mail;
      const addresses = {
        sender: clean(from, SUBJECT_LIMIT),
        recipients: to.map((each) => clean(each, SUBJECT_LIMIT)),
      };
      const read = await readMail(mail).catch(() => UNREAD);
      await insertHeldMail(db, { site_id: site.id, ...addresses, ...read, written_at: writtenAt });
    }
    return 'drop';
  });
  await deleteOldHeldMails(db, site.id, KEPT);
}

async function readMail({ message }: WaitingMail): Promise<ReadMail> {
  if (message.length > READ_BYTES) return UNREAD;
  const { subject = '', text = '', html, attachments } = await PostalMime.parse(message);
  return {
    subject: clean(subject, SUBJECT_LIMIT),
    text: clean(text, TEXT_LIMIT),
    html: html === undefined ? null : clean(html, TEXT_LIMIT),
    attachments: attachments.slice(0, 100).map(({ filename }) => clean(filename ?? 'without a name', 255)),
  };
}

/** Postgres takes no NUL. */
const clean = (text: string, limit: number) => text.replaceAll('\0', '').slice(0, limit);
