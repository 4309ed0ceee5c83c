import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { anyone, forAccount, inTeam, onRecord, verified } from '#core/policy.ts';
import { Team } from '#features/team/team.schema.ts';
import {
  alreadyMember,
  Invite,
  InviteChange,
  InviteToken,
  inviteExists,
  inviteExpired,
  inviteNotFound,
  inviteUsed,
  NewInvite,
  OpenedInvite,
  otherAddress,
  tooManyInvites,
  tooManySent,
} from './invite.schema.ts';
import { findInvite, listOpenInvites } from './invite.sql.ts';
import { acceptInvite, createInvite, deleteInvite, inspectInvite, toInvite, updateInvite } from './invite.ts';

const tag = 'invites';
const TeamPath = Type.Object({ team_id: Uuid });

export const inviteOperations = [
  operation({
    id: 'listInvites',
    method: 'GET',
    path: '/team/{team_id}/invite',
    tag,
    summary: 'Invites of a team that nobody has accepted yet',
    access: inTeam('owner'),
    params: TeamPath,
    query: Type.Object(PageQuery),
    response: PageOf(Invite),
    async handle({ db, services, caller, subject: teamId, query, page }) {
      const { count, rows } = await listOpenInvites(db, teamId, query);
      return page(
        query,
        count,
        rows.map((row) => toInvite(services, caller, row)),
      );
    },
  }),
  operation({
    id: 'createInvite',
    method: 'POST',
    path: '/team/{team_id}/invite',
    tag,
    summary: 'Invite somebody into a team by mail',
    access: verified(inTeam('owner')),
    params: TeamPath,
    body: NewInvite,
    response: Invite,
    errors: [alreadyMember, inviteExists, tooManyInvites, tooManySent],
    goesOn: true,
    handle: (call) => createInvite(call, call.subject, call.body),
  }),
  operation({
    id: 'updateInvite',
    method: 'PATCH',
    path: '/team/{team_id}/invite/{team_member_invite_id}',
    tag,
    summary: 'Change the role that an invite gives',
    access: inTeam('owner'),
    params: Type.Object({ team_id: Uuid, team_member_invite_id: Uuid }),
    body: InviteChange,
    response: Invite,
    errors: [inviteNotFound],
    handle: (call) => updateInvite(call, call.subject, call.params.team_member_invite_id, call.body.role),
  }),
  operation({
    id: 'deleteInvite',
    method: 'DELETE',
    path: '/team/{team_id}/invite/{team_member_invite_id}',
    tag,
    summary: 'Withdraw an invite',
    access: inTeam('owner'),
    params: Type.Object({ team_id: Uuid, team_member_invite_id: Uuid }),
    response: Empty,
    errors: [inviteNotFound],
    async handle({ db, caller, subject: teamId, params }) {
      await deleteInvite(db, caller, teamId, params.team_member_invite_id);
      return {};
    },
  }),
  operation({
    id: 'getInvite',
    method: 'GET',
    path: '/invite/{invite_id}',
    tag,
    summary: 'One invite of a team you own',
    access: onRecord({
      role: 'owner',
      missing: inviteNotFound,
      find: (db, { invite_id }) => findInvite(db, invite_id as string),
    }),
    params: Type.Object({ invite_id: Uuid }),
    response: Invite,
    handle: async ({ services, caller, subject: row }) => toInvite(services, caller, row),
  }),
  operation({
    id: 'inspectInvite',
    method: 'POST',
    path: '/invite/inspect',
    tag,
    summary: 'What the link of an invite says, before signing in',
    access: anyone,
    effect: 'read',
    limit: 'signIn',
    body: InviteToken,
    response: OpenedInvite,
    errors: [inviteNotFound, inviteUsed, inviteExpired],
    handle: ({ db, services, body }) => inspectInvite(db, services, body.token),
  }),
  operation({
    id: 'acceptInvite',
    method: 'POST',
    path: '/invite/accept',
    tag,
    summary: 'Join the team that the invite is for',
    access: forAccount,
    body: InviteToken,
    response: Team,
    errors: [inviteNotFound, inviteUsed, inviteExpired, otherAddress, alreadyMember],
    handle: ({ db, services, caller, body }) => acceptInvite(db, services, caller, body.token),
  }),
];
