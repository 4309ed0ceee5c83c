import { Type } from 'typebox';
import { forbidden } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { anyInTeam, inTeam } from '#core/policy.ts';
import { Member, MemberChange, memberNotFound, ownerStays } from './member.schema.ts';
import { listMembers } from './member.sql.ts';
import { completeMembers, getMember, removeMember, updateMember } from './member.ts';

const tag = 'teams';
const MemberPath = Type.Object({ team_id: Uuid, team_member_id: Uuid });

export const memberOperations = [
  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/team/{team_id}/member',
    tag,
    summary: 'The people in a team, the owner included',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: Type.Object(PageQuery),
    response: PageOf(Member),
    async handle({ db, subject: teamId, query, page }) {
      const { count, rows } = await listMembers(db, teamId, query);
      return page(query, count, await completeMembers(db, teamId, rows));
    },
  }),
  operation({
    id: 'getMember',
    method: 'GET',
    path: '/team/{team_id}/member/{team_member_id}',
    tag,
    summary: 'One member, by the id of the membership',
    access: inTeam('viewer'),
    params: MemberPath,
    response: Member,
    errors: [memberNotFound],
    handle: ({ db, subject: teamId, params }) => getMember(db, teamId, params.team_member_id),
  }),
  operation({
    id: 'updateMember',
    method: 'PATCH',
    path: '/team/{team_id}/member/{team_member_id}',
    tag,
    summary: 'Give a member another role, or limit them to some sites, by the id of the membership',
    access: inTeam('owner'),
    params: MemberPath,
    body: MemberChange,
    response: Member,
    errors: [memberNotFound, ownerStays],
    handle: ({ db, services, caller, subject: teamId, params, body }) =>
      updateMember(db, services, caller, teamId, params.team_member_id, body),
  }),
  operation({
    id: 'removeMember',
    method: 'DELETE',
    path: '/team/{team_id}/member/{team_member_user_id}',
    tag,
    summary: 'Remove a member, by the id of the user; everybody may remove themself',
    access: anyInTeam,
    params: Type.Object({
      team_id: Uuid,
      team_member_user_id: Type.String({ format: 'uuid', description: 'The id of the user, not of the membership' }),
    }),
    response: Empty,
    errors: [memberNotFound, ownerStays, forbidden],
    async handle({ db, services, caller, subject: teamId, params }) {
      await removeMember(db, services, caller, teamId, params.team_member_user_id);
      return {};
    },
  }),
];
