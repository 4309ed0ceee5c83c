import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, Moment, OfStage, OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { onPartOfSite, onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import {
  MOMENT_KINDS,
  NewRestorePoint,
  notTold,
  pointNotFound,
  pointTaken,
  RestorePoint,
  SiteHappenings,
  SiteMoment,
  tooManyPoints,
} from './moment.schema.ts';
import { findPoint, listMoments, listPoints } from './moment.sql.ts';
import { createRestorePoint, deleteRestorePoint, happenedBetween, viewOf } from './moment.ts';

const tag = 'restores';
const SitePath = Type.Object({ fqdn: Fqdn });
const EVER = { from: '1970-01-01T00:00:00Z', until: '9999-12-31T00:00:00Z' };

export const momentOperations = [
  operation({
    id: 'listMoments',
    method: 'GET',
    path: '/site/{fqdn}/moment',
    tag,
    summary: 'What happened to a site, newest first: posts published, plugins updated, comments, restores',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({
      from: Type.Optional(say(Moment, 'Nothing before this')),
      until: Type.Optional(say(Moment, 'Nothing after this')),
      kind: Type.Optional(OneOf(MOMENT_KINDS, { description: 'Of this kind alone' })),
      stage: OfStage,
      ...PageQuery,
    }),
    response: PageOf(SiteMoment),
    errors: [stageMissing],
    async handle({ db, subject, query: { from = EVER.from, until = EVER.until, kind, stage, ...paging }, page }) {
      const site = await siteOrStage(db, subject, stage);
      const range = { from: new Date(from), until: new Date(until), kinds: kind ? [kind] : [] };
      const { count, rows } = await listMoments(db, site.id, { ...paging, ...range });
      return page(paging, count, rows);
    },
  }),
  operation({
    id: 'getHappenings',
    method: 'GET',
    path: '/site/{fqdn}/happenings',
    tag,
    summary:
      'What became of a site from one kept minute to another, in words of WordPress: what a restore would take back',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({
      restore_point: say(Moment, 'From the newest backup at or before this moment'),
      until: Type.Optional(
        say(Moment, 'To the newest backup at or before this one; to the newest of all when left out'),
      ),
      stage: OfStage,
    }),
    response: SiteHappenings,
    errors: [stageMissing, notTold],
    async prepare({ db, services, subject, query }) {
      return happenedBetween(services, await siteOrStage(db, subject, query.stage), query);
    },
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'listRestorePoints',
    method: 'GET',
    path: '/site/{fqdn}/restore_point',
    tag,
    summary: 'The minutes of a site that have a name, newest first',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({ stage: OfStage, ...PageQuery }),
    response: PageOf(RestorePoint),
    errors: [stageMissing],
    async handle({ db, subject, query, page }) {
      const site = await siteOrStage(db, subject, query.stage);
      const { count, rows } = await listPoints(db, site.id, query);
      return page(query, count, rows.map(viewOf));
    },
  }),
  operation({
    id: 'createRestorePoint',
    method: 'POST',
    path: '/site/{fqdn}/restore_point',
    tag,
    summary: 'Give a kept minute a name; it is kept for as long as it has one',
    access: onSite('member'),
    assistant: true,
    params: SitePath,
    body: NewRestorePoint,
    response: RestorePoint,
    errors: [...workingTeamErrors, stageMissing, pointTaken, tooManyPoints],
    async handle(call) {
      const site = await siteOrStage(call.db, call.subject, call.body.for_stage_site);
      return createRestorePoint(call, site, call.body);
    },
  }),
  operation({
    id: 'deleteRestorePoint',
    method: 'DELETE',
    path: '/site/{fqdn}/restore_point/{restore_point_id}',
    tag,
    summary: 'Take the name of a minute away; it is kept for as long as any other',
    access: onPartOfSite(
      'member',
      (db, site, input) => findPoint(db, site.id, String(input.restore_point_id)),
      pointNotFound,
    ),
    params: Type.Object({ fqdn: Fqdn, restore_point_id: Uuid }),
    response: Empty,
    async handle(call) {
      await deleteRestorePoint(call, call.subject.site, call.subject.part);
      return {};
    },
  }),
];
