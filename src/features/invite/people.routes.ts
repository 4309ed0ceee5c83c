import { Type } from 'typebox';
import { hasRole, seesSecrets } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { inviteLink } from './invite.link.ts';
import { Person } from './people.schema.ts';
import { listPeople } from './people.sql.ts';

export const peopleOperations = [
  operation({
    id: 'listPeople',
    method: 'GET',
    path: '/team/{team_id}/people',
    tag: 'teams',
    summary: 'Everybody in a team and, for its owner, everybody invited; by name, with search',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: Type.Object({
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 254, description: 'A part of a name or an address' }),
      ),
      ...PageQuery,
    }),
    response: PageOf(Person),
    async handle({ db, services, caller, subject: teamId, query, page }) {
      const withInvites = hasRole(caller, teamId, 'owner');
      const { count, rows } = await listPeople(db, teamId, { search: query.search, withInvites }, query);
      const showsLinks = withInvites && seesSecrets(caller);
      return page(
        query,
        count,
        rows.map((row) => ({ ...row, link: showsLinks && row.kind === 'invite' ? inviteLink(services, row) : '' })),
      );
    },
  }),
];
