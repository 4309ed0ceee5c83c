import { Type } from 'typebox';
import { seesSecrets } from '#core/auth/caller.ts';
import type { Failure } from '#core/errors.ts';
import { eventDetail } from '#core/events/events.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, PageOf, PageQuery } from '#core/http/schema.ts';
import { notLinked, repositoryErrors, syncFailed } from '#features/git-sync/git-sync.schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, siteOrStage, stageMissing, stagesOfSites } from '#features/instance/instance.ts';
import { planStorage, StageChange, StageSite } from '#features/site/site.schema.ts';
import { viewStage } from '#features/site/site.ts';
import { listHeldMails } from '#features/site-mail/site-mail.ts';
import { nameTaken } from '#features/site-name/site-name.schema.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { comparePair, pairOf, viewChanges } from './stage.compare.ts';
import {
  CommitStage,
  commitFailed,
  compareFailed,
  HeldMail,
  NewStage,
  refreshFailed,
  StageChanges,
  stageConflict,
  stageExists,
  stageFailed,
  stageMoved,
  stageNoBase,
} from './stage.schema.ts';
import { changeStage } from './stage.settings.ts';
import { commitStage, createStage, deleteStage, prepareStage, refreshStage } from './stage.ts';

const tag = 'staging';
const params = Type.Object({ fqdn: Fqdn });
const NOTHING = { offset: 0, limit: 0 };

function refusalFor(code: unknown, message: string) {
  const refusals: Record<string, Failure> = { moved_on: stageMoved, in_conflict: stageConflict };
  return (refusals[String(code)] ?? commitFailed)({ message });
}

export const stageOperations = [
  operation({
    id: 'createStage',
    method: 'POST',
    path: '/site/{fqdn}/stage',
    tag,
    summary: 'Make a staging site: a copy of the site as it is, or as it was at a point, to work on',
    access: onSite('member'),
    assistant: true,
    params,
    body: NewStage,
    response: StageSite,
    errors: [
      ...workingTeamErrors,
      siteBusy,
      stageExists,
      nameTaken,
      planStorage,
      notLinked,
      ...repositoryErrors,
      stageFailed,
      syncFailed,
    ],
    goesOn: true,
    prepare: ({ db, services, caller, subject: site, body }) => prepareStage(db, services, caller, site, body),
    handle: (call) => createStage(call, call.subject, call.prepared),
    async reread({ db, subject: site }, first) {
      const { failure, git_sync_event_id } = await eventDetail(db, first.eventId);
      if (typeof failure === 'string') throw (git_sync_event_id ? syncFailed : stageFailed)({ message: failure });
      const stage = (await stagesOfSites(db, [site.id])).get(site.id);
      return stage ? viewStage(stage) : first.body;
    },
  }),
  operation({
    id: 'deleteStage',
    method: 'DELETE',
    path: '/site/{fqdn}/stage',
    tag,
    summary: 'Delete the staging site for good; the live site stays as it is',
    access: onSite('member'),
    assistant: true,
    params,
    response: Empty,
    errors: [siteBusy, stageMissing],
    async handle(call) {
      await deleteStage(call, call.subject);
      return {};
    },
  }),
  operation({
    id: 'updateStage',
    method: 'PATCH',
    path: '/site/{fqdn}/stage',
    tag,
    summary: 'Change the protection, the cache and the debug mode of the staging site; the live site keeps its own',
    access: onSite('member'),
    assistant: true,
    params,
    body: StageChange,
    response: StageSite,
    errors: [siteBusy, stageMissing],
    handle: (call) => changeStage(call, call.subject, call.body),
  }),
  operation({
    id: 'compareStage',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/stage/changes',
    tag,
    summary: 'What the staging site has changed, what live has got since, and what both have changed; nothing is done',
    access: onSite('member'),
    assistant: true,
    params,
    query: Type.Object(PageQuery),
    response: StageChanges,
    errors: [siteBusy, stageMissing, stageNoBase, compareFailed],
    async handle(call) {
      const { db, services, subject: live, query } = call;
      const pair = await pairOf(db, live);
      const window = { offset: (query.page - 1) * query.size, limit: query.size };
      return viewChanges(call, pair, await comparePair(services, pair, {}, window), query);
    },
  }),
  operation({
    id: 'commitStage',
    method: 'POST',
    path: '/site/{fqdn}/stage/commit',
    tag,
    summary: 'Take content and database of the staging site to the live site, and keep what only live has got since',
    access: onSite('member'),
    assistant: true,
    params,
    body: CommitStage,
    response: StageSite,
    errors: [
      ...workingTeamErrors,
      siteBusy,
      stageMissing,
      stageNoBase,
      stageMoved,
      stageConflict,
      compareFailed,
      commitFailed,
    ],
    goesOn: true,
    async prepare({ db, services, subject: live, body }) {
      // A named comparison that no longer holds, or a conflict that nobody decided, is refused before the work begins.
      const canConflict = body.mode !== 'replace' && (body.on_conflict ?? 'refuse') === 'refuse';
      if (body.plan === undefined && !canConflict) return;
      const { refusal } = (await comparePair(services, await pairOf(db, live), body, NOTHING)).report;
      if (refusal) throw refusalFor(refusal.code, refusal.message);
    },
    handle: (call) => commitStage(call, call.subject, call.body),
    async reread({ db, subject: live }, { body, eventId }) {
      const { failure, refused } = await eventDetail(db, eventId);
      if (typeof failure === 'string') throw refusalFor(refused, failure);
      const stage = (await stagesOfSites(db, [live.id])).get(live.id);
      return stage ? viewStage(stage) : body;
    },
  }),
  operation({
    id: 'refreshStage',
    method: 'POST',
    path: '/site/{fqdn}/stage/refresh',
    tag,
    summary: 'Make the staging site anew from the live site as it is now; what was in it is in its backups',
    access: onSite('member'),
    assistant: true,
    params,
    response: StageSite,
    errors: [...workingTeamErrors, siteBusy, stageMissing, planStorage, refreshFailed, syncFailed],
    goesOn: true,
    handle: (call) => refreshStage(call, call.subject),
    async reread({ db, subject: live }, { body, eventId }) {
      const { failure, git_sync_event_id } = await eventDetail(db, eventId);
      if (typeof failure === 'string') throw (git_sync_event_id ? syncFailed : refreshFailed)({ message: failure });
      const stage = (await stagesOfSites(db, [live.id])).get(live.id);
      return stage ? viewStage(stage) : body;
    },
  }),
  operation({
    id: 'listStageMail',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/stage/mail',
    tag,
    summary: 'What the staging site wanted to mail, newest first; nobody else got it',
    access: onSite('member'),
    params,
    query: Type.Object(PageQuery),
    response: PageOf(HeldMail),
    errors: [stageMissing],
    async handle({ db, caller, subject, query, page }) {
      const stage = await siteOrStage(db, subject, true);
      const { count, rows } = await listHeldMails(db, stage.id, query);
      // It has links that let their reader in.
      const shown = seesSecrets(caller) ? rows : rows.map((mail) => ({ ...mail, text: '', html: null }));
      return page(query, count, shown);
    },
  }),
];
