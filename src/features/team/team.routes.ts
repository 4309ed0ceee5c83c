import { Type } from 'typebox';
import { forbidden } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Moment, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { inTeam, operator, operatorOn, signedIn, teamNotFound } from '#core/policy.ts';
import { Event } from '#features/event/event.schema.ts';
import { listTeamEvents } from '#features/event/event.ts';
import { Member, memberNotFound, ownerStays, Team, TeamChange } from './team.schema.ts';
import { findTeam, listAllTeams, listMembers, listTeams } from './team.sql.ts';
import { completeMembers, completeTeams, getMember, getTeam, removeMember, suspendTeam, updateTeam } from './team.ts';

const tag = 'teams';
const TeamPath = Type.Object({ team_id: Uuid });

const onAnyTeam = operatorOn((db, { team_id }) => findTeam(db, String(team_id)), teamNotFound);

export const teamOperations = [
  operation({
    id: 'listTeams',
    method: 'GET',
    path: '/team',
    tag,
    summary: 'The teams you own or belong to',
    access: signedIn,
    assistant: true,
    query: Type.Object(PageQuery),
    response: PageOf(Team),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listTeams(db, [...caller.roles.keys()], query);
      return page(query, count, await completeTeams(db, caller, rows));
    },
  }),
  operation({
    id: 'getTeam',
    method: 'GET',
    path: '/team/{team_id}',
    tag,
    summary: 'One team, with its plan and usage',
    access: inTeam('viewer'),
    params: TeamPath,
    response: Team,
    handle: ({ db, caller, subject: teamId }) => getTeam(db, caller, teamId),
  }),
  operation({
    id: 'updateTeam',
    method: 'PATCH',
    path: '/team/{team_id}',
    tag,
    summary: 'Change the name or the time zone of a team',
    access: inTeam('owner'),
    params: TeamPath,
    body: TeamChange,
    response: Team,
    handle: ({ db, caller, subject: teamId, body }) => updateTeam(db, caller, teamId, body),
  }),
  operation({
    id: 'listTeamEvents',
    method: 'GET',
    path: '/team/{team_id}/event',
    tag,
    summary: 'What happened in a team, newest first',
    access: inTeam('viewer'),
    params: TeamPath,
    query: Type.Object({
      after_datetime: Type.Optional(say(Moment, 'Only what happened after this moment')),
      ...PageQuery,
    }),
    response: PageOf(Event),
    async handle({ db, caller, subject: teamId, query, page }) {
      const { count, events } = await listTeamEvents(db, caller, teamId, query.after_datetime, query);
      return page(query, count, events);
    },
  }),
  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/team/{team_id}/member',
    tag,
    summary: 'The people in a team, the owner included',
    access: inTeam('viewer'),
    params: TeamPath,
    query: Type.Object(PageQuery),
    response: PageOf(Member),
    async handle({ db, subject: teamId, query, page }) {
      const { count, rows } = await listMembers(db, teamId, query);
      return page(query, count, await completeMembers(db, rows));
    },
  }),
  operation({
    id: 'getMember',
    method: 'GET',
    path: '/team/{team_id}/member/{team_member_id}',
    tag,
    summary: 'One member, by the id of the membership',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid, team_member_id: Uuid }),
    response: Member,
    errors: [memberNotFound],
    handle: ({ db, subject: teamId, params }) => getMember(db, teamId, params.team_member_id),
  }),
  operation({
    id: 'removeMember',
    method: 'DELETE',
    path: '/team/{team_id}/member/{team_member_user_id}',
    tag,
    summary: 'Remove a member, by the id of the user; everybody may remove themself',
    access: inTeam('viewer'),
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
  operation({
    id: 'listAllTeams',
    method: 'GET',
    path: '/operator/team',
    tag: 'operators',
    summary: 'Every team of the platform, those of a person, or those whose name holds a text',
    access: operator,
    query: Type.Object({
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A part of the name' })),
      user_id: Type.Optional(say(Uuid, 'Only those that this person is in')),
      ...PageQuery,
    }),
    response: PageOf(Team),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listAllTeams(db, query, query);
      return page(query, count, await completeTeams(db, caller, rows));
    },
  }),
  operation({
    id: 'getAnyTeam',
    method: 'GET',
    path: '/operator/team/{team_id}',
    tag: 'operators',
    summary: 'Any team',
    access: onAnyTeam,
    params: TeamPath,
    response: Team,
    handle: async ({ db, caller, subject }) => (await completeTeams(db, caller, [subject]))[0] as Team,
  }),
  operation({
    id: 'listAnyMembers',
    method: 'GET',
    path: '/operator/team/{team_id}/member',
    tag: 'operators',
    summary: 'The people in any team',
    access: onAnyTeam,
    params: TeamPath,
    query: Type.Object(PageQuery),
    response: PageOf(Member),
    async handle({ db, subject, query, page }) {
      const { count, rows } = await listMembers(db, subject.id, query);
      return page(query, count, await completeMembers(db, rows));
    },
  }),
  operation({
    id: 'suspendTeam',
    method: 'PATCH',
    path: '/operator/team/{team_id}',
    tag: 'operators',
    summary: 'Suspend a team, or lift its suspension',
    access: onAnyTeam,
    params: TeamPath,
    body: Type.Object({ is_active: say(Type.Boolean(), 'False suspends it') }),
    response: Team,
    handle: ({ db, caller, params, body }) => suspendTeam(db, caller, params.team_id, body.is_active),
  }),
];
