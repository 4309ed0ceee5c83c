import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Email, Name, Nullable, say, Timestamp } from '#core/http/schema.ts';
import { TokenGrant } from '#features/credential/credential.ts';
import { SecondStep } from '#features/second-factor/second-factor.ts';
import { User } from '#features/user/user.ts';

const Password = Type.String({ minLength: 8, maxLength: 256 });

export const Registration = Type.Object({
  email: say(Email, 'Where a link to confirm it is mailed to'),
  password: say(Password, 'At least 8 characters'),
  first_name: say(Name, 'Your first name'),
  last_name: say(Name, 'Your last name'),
});
export type Registration = Static<typeof Registration>;

/** Two steps in one operation: without a token it asks for the mail, with one it uses the link. */
export const EmailVerification = Type.Object({
  token: Type.Optional(say(Type.String({ maxLength: 200 }), 'As mailed')),
});

export const PasswordReset = Type.Object({
  email: Type.Optional(say(Email, 'Where the link is mailed to')),
  token: Type.Optional(say(Type.String({ maxLength: 200 }), 'As mailed')),
  password: Type.Optional(say(Password, 'The new one, with the token')),
  keep_contents: Type.Optional(
    Type.Boolean({
      description:
        'With the token, for an account whose address was never confirmed: true where you made it yourself. Otherwise what is in it goes, for somebody else may have made it in your name',
    }),
  ),
});
export type PasswordReset = Static<typeof PasswordReset>;

/** One's own account: the person as everybody sees them, and what is for them alone. */
export const Me = Type.Object(
  {
    ...User.properties,
    default_region: Nullable(
      Type.String({ description: "The region of new sites that name none; null for the platform's first" }),
    ),
    view: Nullable(
      Type.Object(
        { operator_name: Type.String(), expires_at: Timestamp },
        { description: 'Set while an operator looks at this account, who can change nothing; null for yourself' },
      ),
    ),
    pending_email: Nullable(Type.String({ description: 'The new address that waits to be confirmed' })),
  },
  { title: 'Me' },
);
export type Me = Static<typeof Me>;

/** Empty while a mail is on its way; a fresh sign-in once the link in it is used, or what else that asks for. */
export const LinkAnswer = Type.Object(
  { ...Type.Partial(TokenGrant).properties, second_step: Type.Optional(SecondStep) },
  { title: 'LinkAnswer' },
);
export type LinkAnswer = Static<typeof LinkAnswer>;

export const ProfileChange = Type.Object({
  first_name: Type.Optional(say(Name, 'Your first name')),
  last_name: Type.Optional(say(Name, 'Your last name')),
  current_password: Type.Optional(say(Type.String({ maxLength: 256 }), 'Needed for a new one')),
  new_password: Type.Optional(say(Password, 'Ends every other session')),
  default_region: Type.Optional(
    Nullable(Type.String({ maxLength: 40, description: "A region's name; null for the platform's first" })),
  ),
});
export type ProfileChange = Static<typeof ProfileChange>;

export const operatorStays = failure('account.own', 409, 'You can not block yourself.');
export const emailTaken = failure('account.exists', 409, 'There is an account with this email address already.');
export const tooManyMails = failure(
  'account.too_many_mails',
  429,
  'We have mailed you several links within an hour; use one of them, or wait a little.',
);
export const linkInvalid = failure('account.link_invalid', 409, 'This link is not valid any more; ask for a new one.');
