import { Type } from 'typebox';
import { invalid } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn, OfStage, say } from '#core/http/schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { findSiteById, markStorageStale, onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import {
  changeFailed,
  checkFailed,
  ExtensionChange,
  ExtensionKind,
  ExtensionName,
  extensionFixed,
  extensionNotFound,
  NewExtension,
  nothingToUpdate,
  Software,
  SoftwareUpdate,
  softwareUnknown,
} from './site-software.schema.ts';
import { versionFaults } from './site-software.start.ts';
import {
  askSoftware,
  deleteExtension,
  installExtension,
  rereadSoftware,
  switchExtension,
  updateSoftware,
} from './site-software.ts';
import { keepFound, viewSoftware } from './site-software.view.ts';

const tag = 'software';
const params = Type.Object({ fqdn: Fqdn });
const extensionParams = Type.Object({ fqdn: Fqdn, kind: say(ExtensionKind, 'What it is'), name: ExtensionName });
const query = Type.Object({ stage: OfStage });
const changeErrors = [...workingTeamErrors, siteBusy, stageMissing, changeFailed];

export const siteSoftwareOperations = [
  operation({
    id: 'getSoftware',
    method: 'GET',
    path: '/site/{fqdn}/software',
    tag,
    summary: 'What a site runs: WordPress, PHP, plugins and themes, what is newer, and how the last change went',
    access: onSite('viewer'),
    assistant: true,
    params,
    query,
    response: Software,
    errors: [stageMissing],
    handle: async ({ db, services, subject, query: { stage } }) =>
      viewSoftware(db, services, await siteOrStage(db, subject, stage)),
  }),
  operation({
    id: 'checkSoftware',
    method: 'POST',
    path: '/site/{fqdn}/software/check',
    tag,
    summary: 'Ask the site’s WordPress now what it runs and what is newer; nothing is changed',
    access: onSite('member'),
    assistant: true,
    params,
    query,
    response: Software,
    errors: [...workingTeamErrors, siteBusy, stageMissing, checkFailed],
    async prepare({ db, services, subject, query: { stage } }) {
      const site = await siteOrStage(db, subject, stage);
      const { errors: _none, ...found } = await askSoftware(services, site);
      return { site, found, versions: await services.hosts.coreVersions(site) };
    },
    async handle({ db, services, prepared: { site, found, versions } }) {
      const now = (await findSiteById(db, site.id)) ?? site;
      await markStorageStale(db, site.id);
      await keepFound(db, now, found, versions);
      return viewSoftware(db, services, now);
    },
  }),
  operation({
    id: 'updateSoftware',
    method: 'POST',
    path: '/site/{fqdn}/software/update',
    tag,
    summary:
      'Update plugins, themes, WordPress or PHP, or all that waits where nothing is named; the pages are checked, and where one breaks it is rolled back',
    access: onSite('member'),
    assistant: true,
    params,
    query,
    body: SoftwareUpdate,
    response: Software,
    errors: [...changeErrors, softwareUnknown, nothingToUpdate],
    goesOn: true,
    async prepare({ db, services, subject, query: { stage }, body }) {
      const faults = await versionFaults(services, await siteOrStage(db, subject, stage), body);
      if (faults.length > 0) throw invalid(...faults);
    },
    handle: (call) => updateSoftware(call, call.subject, call.query.stage, call.body),
    reread: (call, { eventId }) => rereadSoftware(call, call.query.stage, eventId),
  }),
  operation({
    id: 'installExtension',
    method: 'POST',
    path: '/site/{fqdn}/software/install',
    tag,
    summary: 'Install a plugin or a theme of wordpress.org by its name; checked and rolled back as an update is',
    access: onSite('member'),
    assistant: true,
    params,
    query,
    body: NewExtension,
    response: Software,
    errors: [...changeErrors, extensionFixed],
    goesOn: true,
    handle: (call) => installExtension(call, call.subject, call.query.stage, call.body),
    reread: (call, { eventId }) => rereadSoftware(call, call.query.stage, eventId),
  }),
  operation({
    id: 'switchExtension',
    method: 'PATCH',
    path: '/site/{fqdn}/software/{kind}/{name}',
    tag,
    summary: 'Switch a plugin on or off, or a theme on; checked and rolled back as an update is',
    access: onSite('member'),
    assistant: true,
    params: extensionParams,
    query,
    body: ExtensionChange,
    response: Software,
    errors: [...changeErrors, softwareUnknown, extensionNotFound, extensionFixed],
    goesOn: true,
    handle: (call) => switchExtension(call, call.subject, call.query.stage, call.params, call.body.active),
    reread: (call, { eventId }) => rereadSoftware(call, call.query.stage, eventId),
  }),
  operation({
    id: 'deleteExtension',
    method: 'DELETE',
    path: '/site/{fqdn}/software/{kind}/{name}',
    tag,
    summary: 'Delete a plugin or a theme with its files; checked and rolled back as an update is',
    access: onSite('member'),
    assistant: true,
    params: extensionParams,
    query,
    response: Software,
    errors: [...changeErrors, softwareUnknown, extensionNotFound, extensionFixed],
    goesOn: true,
    handle: (call) => deleteExtension(call, call.subject, call.query.stage, call.params),
    reread: (call, { eventId }) => rereadSoftware(call, call.query.stage, eventId),
  }),
];
