import { Type } from 'typebox';
import { teamsOf } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { Moment, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { anyInTeam, inTeam, operator, operatorOn, signedIn, teamNotFound } from '#core/policy.ts';
import { Event } from '#features/event/event.schema.ts';
import { listTeamEvents } from '#features/event/event.ts';
import { Member } from './member.schema.ts';
import { listMembers } from './member.sql.ts';
import { completeMembers } from './member.ts';
import { Team, TeamChange } from './team.schema.ts';
import { findTeam, listAllTeams, listTeams } from './team.sql.ts';
import { completeTeams, getTeam, suspendTeam, updateTeam } from './team.ts';

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
      const { count, rows } = await listTeams(db, teamsOf(caller), query);
      return page(query, count, await completeTeams(db, caller, rows));
    },
  }),
  operation({
    id: 'getTeam',
    method: 'GET',
    path: '/team/{team_id}',
    tag,
    summary: 'One team, with its plan and usage',
    access: anyInTeam,
    params: TeamPath,
    response: Team,
    handle: ({ db, caller, subject: teamId }) => getTeam(db, caller, teamId),
  }),
  operation({
    id: 'updateTeam',
    method: 'PATCH',
    path: '/team/{team_id}',
    tag,
    summary: 'Change the name or the time zone of a team, or what is updated by itself in its sites',
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
      return page(query, count, await completeMembers(db, subject.id, rows));
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
