import { Type } from 'typebox';
import type { Failure } from '#core/errors.ts';
import { eventDetail } from '#core/events/events.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn, OfStage } from '#core/http/schema.ts';
import { verified } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import {
  branchMoved,
  changesUnread,
  commitFailed,
  GitChanges,
  GitCommit,
  NewGitCommit,
  noAccount,
  notCommittable,
  nothingToCommit,
  notSynced,
  pushRefused,
  tooManyFiles,
} from './commit.schema.ts';
import { getChanges, startCommit } from './commit.ts';
import { notLinked } from './git-sync.schema.ts';

const tag = 'git';
/** What the work itself may end with, besides that it failed. */
const refusals: Failure[] = [
  nothingToCommit,
  branchMoved,
  pushRefused,
  notCommittable,
  noAccount,
  notSynced,
  tooManyFiles,
];

export const commitOperations = [
  operation({
    id: 'getGitChanges',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/git_sync/changes',
    tag,
    summary: 'What a site or its stage has changed of plugins, themes and languages since the last sync',
    access: onSite('member'),
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({ stage: OfStage }),
    response: GitChanges,
    errors: [notLinked, notSynced, stageMissing, siteBusy, tooManyFiles, changesUnread],
    handle: ({ db, services, subject, query }) => getChanges(db, services, subject, query.stage),
  }),
  operation({
    id: 'commitGitChanges',
    method: 'POST',
    path: '/site/{fqdn}/git_sync/commit',
    tag,
    summary: 'Commit what was changed on a site or its stage to a branch of its repository, with the linked account',
    access: verified(onSite('member')),
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({ stage: OfStage }),
    body: NewGitCommit,
    response: GitCommit,
    errors: [...workingTeamErrors, notLinked, stageMissing, siteBusy, ...refusals, commitFailed],
    goesOn: true,
    handle: (call) => startCommit(call, call.subject, call.query.stage, call.body),
    async reread({ db }, first) {
      const { failure, refused, result } = await eventDetail(db, first.eventId);
      if (typeof failure !== 'string') return (result as GitCommit | undefined) ?? first.body;
      throw (refusals.find(({ code }) => code === refused) ?? commitFailed)({ message: failure });
    },
  }),
];
