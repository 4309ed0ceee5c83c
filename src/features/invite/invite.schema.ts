import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Email, Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { GIVEN_ROLES, MOST_SITES } from '#features/team/member.schema.ts';

export const Invite = Type.Object(
  {
    id: Uuid,
    created_at: Timestamp,
    created_by: Nullable(Uuid),
    expiry: Timestamp,
    first_name: Nullable(Type.String()),
    link: Type.String({ description: 'Opens the invite; empty for credentials that may only read' }),
    role: OneOf(GIVEN_ROLES),
    site_ids: Nullable(Type.Array(Uuid, { description: 'The sites that it is for; null is the whole team' })),
    target_email: Type.String(),
  },
  { title: 'TeamInvite' },
);
export type Invite = Static<typeof Invite>;

export const NewInvite = Type.Object({
  target_email: say(Email, 'Who is invited'),
  first_name: Type.Optional(say(Name, 'First name that the mail greets them with')),
  message: Type.Optional(say(Type.String({ maxLength: 2000 }), 'A line of yours in the mail')),
  role: Type.Optional(say(OneOf(GIVEN_ROLES), 'What they become in the team, or on each of the sites')),
  site_ids: Type.Optional(
    Type.Array(Uuid, {
      minItems: 1,
      maxItems: MOST_SITES,
      description: 'Sites of the team that they are limited to; without it they are in the whole team',
    }),
  ),
});
export type NewInvite = Static<typeof NewInvite>;

export const InviteChange = Type.Object({ role: say(OneOf(GIVEN_ROLES), 'What they become when they accept') });

export const InviteToken = Type.Object({
  token: say(Type.String({ minLength: 1, maxLength: 200 }), 'As in the link of the invite'),
});

export const OpenedInvite = Type.Object(
  {
    team_name: Type.String(),
    target_email: Type.String(),
    first_name: Nullable(Type.String()),
    role: OneOf(GIVEN_ROLES),
    expiry: Timestamp,
  },
  { title: 'OpenedInvite' },
);
export type OpenedInvite = Static<typeof OpenedInvite>;

export const inviteNotFound = failure('invite.not_found', 404, 'There is no such invite.');
export const inviteExists = failure('invite.exists', 409, 'This address has an open invite already.');
export const alreadyMember = failure('member.exists', 409, 'This person is in the team already.');
export const inviteUsed = failure('invite.used', 409, 'This invite has been used.');
export const inviteExpired = failure('invite.expired', 409, 'This invite has expired; ask for a new one.');
export const otherAddress = failure('invite.other_address', 403, 'This invite is for another email address.');
export const tooManyInvites = failure(
  'invite.too_many',
  409,
  'The team has 500 open invites; withdraw some, or wait until they are used.',
);
export const tooManySent = failure(
  'invite.too_many_sent',
  429,
  'Too many invites were sent within a day; try again later.',
);
