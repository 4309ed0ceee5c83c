import { Type } from 'typebox';
import { seesSecrets } from '#core/auth/caller.ts';
import { eventDetail } from '#core/events/events.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, PageOf, PageQuery } from '#core/http/schema.ts';
import { notLinked, repositoryErrors } from '#features/git-sync/git-sync.schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, siteOrStage, stageMissing, stagesOfSites } from '#features/instance/instance.ts';
import { planStorage, StageSite } from '#features/site/site.schema.ts';
import { viewStage } from '#features/site/site.ts';
import { listHeldMails } from '#features/site-mail/site-mail.ts';
import { nameTaken } from '#features/site-name/site-name.schema.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { HeldMail, NewStage, stageExists, stageFailed } from './stage.schema.ts';
import { createStage, deleteStage, prepareStage } from './stage.ts';

const tag = 'staging';
const params = Type.Object({ fqdn: Fqdn });

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
    ],
    goesOn: true,
    prepare: ({ db, services, caller, subject: site, body }) => prepareStage(db, services, caller, site, body),
    handle: (call) => createStage(call, call.subject, call.prepared),
    async reread({ db, subject: site }, first) {
      const { failure } = await eventDetail(db, first.eventId);
      if (typeof failure === 'string') throw stageFailed({ message: failure });
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
    id: 'listStageMail',
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
