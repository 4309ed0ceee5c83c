import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { OneOf, say } from '#core/http/schema.ts';

/** Each kind of mail that somebody may do without. What an account or a site could be lost by is no kind: it is always sent. */
export const MAIL_KINDS = {
  backups: 'Backups of a site fail for long, or restore points were damaged',
  billing: 'A payment failed, or a plan ended',
  sites: 'A site fails for its visitors, or a domain gets no certificate',
  tickets: 'Somebody answered a ticket of yours',
  updates: 'A deploy or an automatic update was rolled back',
  usage: 'A team comes near a limit of its plan',
  webhooks: 'A webhook was switched off',
} as const;
export type MailKind = keyof typeof MAIL_KINDS;
export const MAIL_KIND_NAMES = Object.keys(MAIL_KINDS) as MailKind[];

const fields = <Field>(make: (sentence: string) => Field) =>
  Object.fromEntries(MAIL_KIND_NAMES.map((kind) => [kind, make(MAIL_KINDS[kind])])) as Record<MailKind, Field>;

export const Notifications = Type.Object(
  fields((sentence) => Type.Boolean({ description: sentence })),
  { title: 'Notifications', description: 'Which mails you get' },
);
export type Notifications = Static<typeof Notifications>;

export const NotificationChange = Type.Object(fields((sentence) => Type.Optional(say(Type.Boolean(), sentence))));
export type NotificationChange = Static<typeof NotificationChange>;

export const UnsubscribeQuery = Type.Object({
  kind: OneOf(MAIL_KIND_NAMES, { description: 'Which mails' }),
  token: Type.String({ minLength: 1, maxLength: 200, description: 'As mailed' }),
});

/** What a mail program sends when its person presses the button (RFC 8058), `List-Unsubscribe=One-Click`, says nothing more. */
export const OneClick = Type.Object({});

export const unsubscribeInvalid = failure(
  'notification.link_invalid',
  409,
  'This link is not valid; choose your mails in your account.',
);
