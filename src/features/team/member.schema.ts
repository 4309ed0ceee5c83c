import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { User } from '#features/user/user.ts';

export const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const;

/** More than that is no limit any more. */
export const MOST_SITES = 200;

const SiteRole = Type.Object({ site_id: Uuid, fqdn: Type.String(), role: OneOf(GIVEN_ROLES) });

export const Member = Type.Object(
  {
    id: Uuid,
    joined_at: Timestamp,
    level: Type.Integer(),
    role: Type.String({ description: 'limited: in the team for the sites in `sites` alone' }),
    sites: Type.Array(SiteRole, { description: 'Empty for whoever is in the whole team' }),
    team_id: Uuid,
    user: User,
    user_id: Uuid,
  },
  { title: 'TeamMember' },
);
export type Member = Static<typeof Member>;

const SiteRoleWish = Type.Object({
  site_id: say(Uuid, 'A site of the team'),
  role: say(OneOf(GIVEN_ROLES), 'What they are on that site'),
});
export type SiteRoleWish = Static<typeof SiteRoleWish>;

export const MemberChange = Type.Object({
  role: Type.Optional(say(OneOf(GIVEN_ROLES), 'What they are in the whole team; without `sites`')),
  sites: Type.Optional(
    Type.Array(SiteRoleWish, {
      minItems: 1,
      maxItems: MOST_SITES,
      description: 'The sites that they are limited to, each with a role; all else of the team is not there for them',
    }),
  ),
});
export type MemberChange = Static<typeof MemberChange>;

export const memberNotFound = failure('member.not_found', 404, 'There is no such member in this team.');
export const ownerStays = failure(
  'member.is_owner',
  409,
  'The owner can not be removed or changed; transfer the team to somebody else first.',
);
