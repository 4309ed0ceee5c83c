import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { API_PREFIX } from '#core/http/operation.ts';
import { type Letter, writeLetter } from '#core/letter.ts';
import type { Services } from '#core/services.ts';
import { findRecipient, updateMutedMails } from '#features/user/user.ts';
import {
  MAIL_KIND_NAMES,
  MAIL_KINDS,
  type MailKind,
  type NotificationChange,
  type Notifications,
  unsubscribeInvalid,
} from './notification.schema.ts';

/** Signed by kind, so that the link in one mail ends those mails alone. */
const purposeOf = (kind: MailKind) => `unsubscribe ${kind}`;

interface Mail {
  /** The job's: sent again it is the same mail. */
  id: string;
  userId: string;
  /** Undefined for what everybody has to hear: their account or their site could be lost by it. */
  kind?: MailKind;
  letter: Omit<Letter, 'firstName' | 'footer'>;
}

/** Writes to somebody who has an account, unless it is of a kind that they do not want. */
export async function mailPerson(services: Services, { id, userId, kind, letter }: Mail): Promise<void> {
  const { email, first_name, muted_mails } = await findRecipient(services.db, userId);
  if (kind && muted_mails.includes(kind)) return;
  const query = kind && new URLSearchParams({ kind, token: services.secrets.signId(purposeOf(kind), userId) });
  const { baseUrl } = services.config;
  const written = writeLetter({
    ...letter,
    firstName: first_name,
    ...(kind && {
      footer: [
        `You get this because: ${MAIL_KINDS[kind].toLowerCase()}.`,
        { label: 'Send me no more of these', url: `${baseUrl}/unsubscribe?${query}`, isQuiet: true },
      ],
    }),
  });
  const headers = query && {
    'List-Unsubscribe': `<${baseUrl}${API_PREFIX}/unsubscribe?${query}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
  await services.mailer.send({ id, to: email, ...written, ...(headers && { headers }) });
}

export async function getNotifications(db: Db, userId: string): Promise<Notifications> {
  const { muted_mails } = await findRecipient(db, userId);
  return Object.fromEntries(
    MAIL_KIND_NAMES.map((kind) => [kind, !muted_mails.includes(kind)]),
  ) as unknown as Notifications;
}

export async function updateNotifications(db: Db, caller: Caller, change: NotificationChange): Promise<Notifications> {
  const asked = Object.entries(change) as [MailKind, boolean][];
  await updateMutedMails(db, caller.userId, {
    mute: asked.filter(([, wanted]) => !wanted).map(([kind]) => kind),
    unmute: asked.filter(([, wanted]) => wanted).map(([kind]) => kind),
  });
  return getNotifications(db, caller.userId);
}

export async function unsubscribe(db: Db, { secrets }: Services, kind: MailKind, token: string): Promise<void> {
  const userId = secrets.readSignedId(purposeOf(kind), token);
  if (!userId) throw unsubscribeInvalid();
  await updateMutedMails(db, userId, { mute: [kind], unmute: [] });
}
