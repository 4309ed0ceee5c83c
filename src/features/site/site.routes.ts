import { Type } from 'typebox';
import { isInTeam } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn, Label, Moment, OfStage, OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import type { Upload } from '#core/http/upload.ts';
import { inTeam, signedIn, teamNotFound, verifiedIf } from '#core/policy.ts';
import { sleepEditor } from '#features/code-editor/code-editor.ts';
import { Event } from '#features/event/event.schema.ts';
import { listSiteEvents } from '#features/event/event.ts';
import { repositoryErrors, syncFailed } from '#features/git-sync/git-sync.schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { furtherNameErrors, nameErrors } from '#features/site-name/site-name.schema.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { UsageQuery } from '#features/usage/usage.schema.ts';
import { createSite, prepareSite } from './site.create.ts';
import { importSite, prepareImport } from './site.import.ts';
import { listSites, sitesFor } from './site.list.sql.ts';
import { createSiteLogin } from './site.login.ts';
import { moveSite } from './site.move.ts';
import {
  createFailed,
  importRefused,
  importRunning,
  moveFailed,
  moveStaged,
  NewSite,
  planSites,
  planStorage,
  SITE_SORTS,
  SITE_STATES,
  Site,
  SiteChange,
  SiteLogin,
  SiteMove,
  SitePlace,
  SiteUsage,
  sleepFailed,
  updateFailed,
} from './site.schema.ts';
import { sleepSite } from './site.sleep.ts';
import { prepareChange, updateSite } from './site.update.ts';
import { getSiteUsage } from './site.usage.ts';
import { completeSite, completeSites, rereadSite } from './site.view.ts';
import { clearSiteCache, wakeSite } from './site.wake.ts';

const tag = 'sites';
const SitePath = Type.Object({ fqdn: Fqdn });

export const siteOperations = [
  operation({
    id: 'listSites',
    method: 'GET',
    path: '/site',
    tag,
    summary: 'The sites of your teams, or of one of them',
    access: signedIn,
    assistant: true,
    query: Type.Object({
      team_id: Type.Optional(Uuid),
      search: Type.Optional(
        Type.String({ minLength: 1, maxLength: 253, description: 'A part of the name or of the title' }),
      ),
      label: Type.Optional(say(Label, 'Only those that have this label')),
      state: Type.Optional(
        OneOf(SITE_STATES, {
          description:
            'Only those that are in this state. `outdated`: updates wait on them. `insecure`: one of those is a release of WordPress that mends what is unsafe',
        }),
      ),
      sort: Type.Optional(OneOf(SITE_SORTS, { description: 'Newest first when left out' })),
      ...PageQuery,
    }),
    response: PageOf(Site),
    errors: [teamNotFound],
    async handle({ db, services, caller, query, page }) {
      const { team_id } = query;
      if (team_id !== undefined && !isInTeam(caller, team_id)) throw teamNotFound();
      const { count, rows } = await listSites(db, sitesFor(caller, team_id), query, query);
      return page(query, count, await completeSites(db, services, caller, rows));
    },
  }),
  operation({
    id: 'createSite',
    method: 'POST',
    path: '/site',
    tag,
    summary: 'Create a site: a WordPress of your own under a name of your choice',
    access: verifiedIf('to link a repository', inTeam('member', 'body')),
    assistant: true,
    body: NewSite,
    response: Site,
    errors: [
      ...workingTeamErrors,
      planSites,
      planStorage,
      ...nameErrors,
      ...repositoryErrors,
      createFailed,
      syncFailed,
    ],
    goesOn: true,
    prepare: ({ db, services, caller, body }) => prepareSite(db, services, caller, body),
    handle: (call) => createSite(call, call.body, call.prepared),
    reread: (call, first) => rereadSite(call, first, createFailed),
  }),
  operation({
    id: 'importSite',
    method: 'POST',
    path: '/site/import',
    tag,
    summary:
      'Create a site from the archive of one elsewhere: zip, tar.gz or tar.zst with wp-content and an SQL dump. Its people stay',
    access: inTeam('member', 'query'),
    accepts: ['stream'],
    query: SitePlace,
    response: Site,
    errors: [...workingTeamErrors, planSites, planStorage, ...nameErrors, importRefused, importRunning, createFailed],
    goesOn: true,
    prepare: (call) => prepareImport(call, call.body as Upload),
    handle: (call) => importSite(call, call.prepared),
    reread: (call, first) => rereadSite(call, first, createFailed),
  }),
  operation({
    id: 'getSite',
    method: 'GET',
    path: '/site/{fqdn}',
    tag,
    summary: 'One site',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    response: Site,
    handle: ({ db, services, caller, subject: site }) => completeSite(db, services, caller, site),
  }),
  operation({
    id: 'updateSite',
    method: 'PATCH',
    path: '/site/{fqdn}',
    tag,
    summary: 'Change a site: its protection, its cache, its name, its team, its version of WordPress',
    access: verifiedIf('to move it to another team or link a repository', onSite('member')),
    assistant: true,
    params: SitePath,
    body: SiteChange,
    response: Site,
    errors: [...workingTeamErrors, planSites, planStorage, ...furtherNameErrors, ...repositoryErrors, updateFailed],
    goesOn: true,
    prepare: ({ db, services, caller, subject: site, body }) => prepareChange(db, services, caller, site, body),
    handle: (call) => updateSite(call, call.subject, call.prepared),
    reread: (call, first) => rereadSite(call, first, updateFailed),
  }),
  operation({
    id: 'sleepSite',
    method: 'POST',
    path: '/site/{fqdn}/sleep',
    tag,
    summary: 'Put a site to sleep; the next visit wakes it',
    access: onSite('member'),
    params: SitePath,
    query: Type.Object({
      for_code_server: Type.Optional(Type.Boolean({ description: 'Stop its code server alone; the site stays awake' })),
      for_stage: Type.Optional(say(Type.Boolean(), 'Put its staging site to sleep; the site stays awake')),
    }),
    response: Site,
    errors: [siteBusy, sleepFailed, stageMissing],
    goesOn: true,
    handle: async (call) => {
      if (!call.query.for_code_server) return sleepSite(call, call.subject, call.query.for_stage);
      await sleepEditor(call, call.subject);
      return completeSite(call.db, call.services, call.caller, call.subject);
    },
    reread: (call, first) => rereadSite(call, first, sleepFailed),
  }),
  operation({
    id: 'wakeSite',
    method: 'POST',
    path: '/site/{fqdn}/wake',
    tag,
    summary: 'Wake a site that sleeps, before anybody visits it',
    access: onSite('member'),
    params: SitePath,
    response: Site,
    errors: [...workingTeamErrors, siteBusy],
    handle: (call) => wakeSite(call, call.subject),
  }),
  operation({
    id: 'clearSiteCache',
    method: 'POST',
    path: '/site/{fqdn}/cache/clear',
    tag,
    summary: 'Forget the pages that are kept of a site; each comes from WordPress once more',
    access: onSite('member'),
    params: SitePath,
    response: Site,
    handle: (call) => clearSiteCache(call, call.subject),
  }),
  operation({
    id: 'moveSite',
    method: 'POST',
    path: '/site/{fqdn}/move',
    tag,
    summary:
      'Move a site to another kind of database, SQLite or MariaDB, and to the driver of new sites, or to another region. Backups stay',
    access: onSite('admin'),
    params: SitePath,
    body: SiteMove,
    response: Site,
    errors: [...workingTeamErrors, siteBusy, moveStaged, moveFailed],
    goesOn: true,
    handle: (call) => moveSite(call, call.subject, call.body),
    reread: (call, first) => rereadSite(call, first, moveFailed),
  }),
  operation({
    id: 'listSiteEvents',
    method: 'GET',
    path: '/site/{fqdn}/event',
    tag,
    summary: 'What happened to a site, newest first',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({
      after_datetime: Type.Optional(say(Moment, 'Only what happened after this moment')),
      ...PageQuery,
    }),
    response: PageOf(Event),
    async handle({ db, caller, subject: site, query, page }) {
      const { count, events } = await listSiteEvents(db, caller, site.id, query.after_datetime, query);
      return page(query, count, events);
    },
  }),
  operation({
    id: 'getSiteCdn',
    method: 'GET',
    path: '/site/{fqdn}/cdn',
    tag,
    summary: 'The site with its cache and its firewall, in properties.cdn',
    access: onSite('viewer'),
    params: SitePath,
    response: Site,
    handle: ({ db, services, caller, subject: site }) => completeSite(db, services, caller, site),
  }),
  operation({
    id: 'getSiteUsage',
    method: 'GET',
    path: '/site/{fqdn}/usage',
    tag,
    summary: 'Visits, requests and bandwidth of a site over time',
    access: onSite('viewer'),
    params: SitePath,
    query: UsageQuery,
    response: SiteUsage,
    handle: ({ db, subject: site, query }) => getSiteUsage(db, site.id, query),
  }),
  operation({
    id: 'createSiteLogin',
    method: 'POST',
    path: '/site/{fqdn}/login',
    tag,
    summary: 'A link that opens wp-admin as the first administrator, once',
    access: onSite('member'),
    params: SitePath,
    query: Type.Object({ stage: OfStage }),
    response: SiteLogin,
    errors: [...workingTeamErrors, siteBusy, stageMissing],
    handle: async (call) => createSiteLogin(call, await siteOrStage(call.db, call.subject, call.query.stage)),
  }),
];
