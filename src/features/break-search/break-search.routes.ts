import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Fqdn, Uuid } from '#core/http/schema.ts';
import { onSite } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { BreakSearch, NewBreakSearch, nothingToSearch, searchNotFound, searchRuns } from './break-search.schema.ts';
import { createBreakSearch, getBreakSearch } from './break-search.ts';

const tag = 'restores';

export const breakSearchOperations = [
  operation({
    id: 'createBreakSearch',
    method: 'POST',
    path: '/site/{fqdn}/break_search',
    tag,
    summary:
      'Find the minute in which a page broke: copies of kept minutes are asked for it, half of the time at each look',
    access: onSite('member'),
    params: Type.Object({ fqdn: Fqdn }),
    body: NewBreakSearch,
    response: BreakSearch,
    errors: [...workingTeamErrors, searchRuns, nothingToSearch],
    goesOn: true,
    handle: (call) => createBreakSearch(call, call.subject, call.body),
    reread: ({ db, subject }, { body }) => getBreakSearch(db, subject.id, body.id),
  }),
  operation({
    id: 'getBreakSearch',
    method: 'GET',
    path: '/site/{fqdn}/break_search/{break_search_id}',
    tag,
    summary: 'How far a search is, and the minute that it found',
    access: onSite('viewer'),
    params: Type.Object({ fqdn: Fqdn, break_search_id: Uuid }),
    response: BreakSearch,
    errors: [searchNotFound],
    handle: ({ db, subject, params }) => getBreakSearch(db, subject.id, params.break_search_id),
  }),
];
