import { Type } from 'typebox';
import type { Db } from '#core/db/database.ts';
import { eventDetail } from '#core/events/events.ts';
import { operation } from '#core/http/operation.ts';
import { Fqdn, OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { planning } from '#core/policy.ts';
import { requireIdle, siteBusy } from '#features/hold/hold.ts';
import {
  findStage,
  onPartOfSite,
  onSite,
  type SiteRow,
  siteOrStage,
  stageMissing,
} from '#features/instance/instance.ts';
import { tooManyPreviews } from '#features/preview/preview.schema.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { chooseBackups } from './pit-restore.choose.ts';
import { type ChangesPaging, lastPageOf, windowFor } from './pit-restore.list.ts';
import {
  ChangesQuery,
  FORMATS,
  NewPitRestore,
  noStage,
  PitPreview,
  PitRestore,
  PitRestoreDetail,
  pitRestoreNotFound,
  previewFailed,
  rehearsalRuns,
  restoreFailed,
} from './pit-restore.schema.ts';
import { findChanges, findPitRestore, listPitRestores } from './pit-restore.sql.ts';
import { createPitRestore, planRestore, previewPitRestore } from './pit-restore.ts';
import { signChanges, textOf, viewOf } from './pit-restore.view.ts';

const tag = 'restores';
const SitePath = Type.Object({ fqdn: Fqdn });

const onPitRestore = onPartOfSite(
  'viewer',
  (db, site, input) => findPitRestore(db, site.id, String(input.pit_restore_id)),
  pitRestoreNotFound,
);

/** Returns the site or its stage. One that is being created has no backup yet, which is no fault of the restore point. */
async function restoredSite(db: Db, live: SiteRow, { for_stage_site }: NewPitRestore): Promise<SiteRow> {
  const site = await siteOrStage(db, live, for_stage_site, noStage);
  if (site.busy === 'creating') requireIdle(site);
  return site;
}

export const pitRestoreOperations = [
  operation({
    id: 'listPitRestores',
    method: 'GET',
    path: '/site/{fqdn}/pit_restore',
    tag,
    summary: 'List the restores of a site and of its staging site, newest first',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({
      stage: Type.Optional(
        Type.Boolean({ description: 'True: of the staging site only; false: of the live site only' }),
      ),
      ...PageQuery,
    }),
    response: PageOf(PitRestore),
    errors: [stageMissing],
    async handle({ db, subject, query, page }) {
      const { stage: isStage } = query;
      const sites =
        isStage === undefined ? [subject, await findStage(db, subject.id)] : [await siteOrStage(db, subject, isStage)];
      const siteIds = sites.flatMap((site) => (site ? [site.id] : []));
      const { count, rows } = await listPitRestores(db, siteIds, query);
      return page(query, count, rows.map(viewOf));
    },
  }),
  operation({
    id: 'createPitRestore',
    method: 'POST',
    path: '/site/{fqdn}/pit_restore',
    tag,
    summary: 'Bring files and database back to a point in time, or try it on a copy',
    // A token that may only plan gets as far as a dry run.
    access: planning(onSite('member')),
    effectOf: ({ is_dry_run }) => (is_dry_run === true ? 'plan' : undefined),
    assistant: true,
    params: SitePath,
    body: NewPitRestore,
    response: PitRestore,
    errors: [...workingTeamErrors, siteBusy, noStage, rehearsalRuns, restoreFailed],
    goesOn: true,
    async prepare({ db, subject, body }) {
      const site = await restoredSite(db, subject, body);
      return { site, chosen: await chooseBackups(db, site, body) };
    },
    handle: (call) => createPitRestore(call, call.prepared.site, call.prepared.chosen),
    async reread({ db, subject: site }, { body, eventId }) {
      const { failure } = await eventDetail(db, eventId);
      const restore = await findPitRestore(db, site.id, body.id);
      // A dry run that did not pass is an answer; a restore that failed is none.
      if (typeof failure === 'string' && !body.is_dry_run) throw restoreFailed({ message: failure });
      return restore ? viewOf(restore) : body;
    },
  }),
  operation({
    id: 'previewPitRestore',
    method: 'POST',
    path: '/site/{fqdn}/pit_restore/preview',
    tag,
    summary: 'What a restore would change, at once; nothing is stored and nothing is changed',
    access: planning(onSite('member')),
    effect: 'plan',
    params: SitePath,
    query: Type.Object({
      browse: Type.Optional(
        Type.Boolean({ description: 'Also open the site as it was, for half an hour, to whoever asks' }),
      ),
      now_hash: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'Compare with the site as this backup has it instead: by that the pages of one list belong together',
        }),
      ),
      ...ChangesQuery,
    }),
    body: NewPitRestore,
    response: PitPreview,
    errors: [...workingTeamErrors, siteBusy, noStage, previewFailed, tooManyPreviews],
    goesOn: true,
    async prepare({ db, services, subject, body, query }) {
      const site = await restoredSite(db, subject, body);
      const chosen = await chooseBackups(db, site, body);
      return { site, chosen, plan: await planRestore(services, site, chosen, query) };
    },
    handle: (call) => {
      const { site, chosen, plan } = call.prepared;
      const path = `/site/${call.subject.fqdn}/pit_restore/preview`;
      return previewPitRestore(call, { site, path }, chosen, plan, call.query);
    },
  }),
  operation({
    id: 'getPitRestore',
    method: 'GET',
    path: '/site/{fqdn}/pit_restore/{pit_restore_id}',
    tag,
    summary:
      'One restore: its record, with every change by the page (`changes`), or as a report in plain text (`text`)',
    access: onPitRestore,
    assistant: true,
    params: Type.Object({ fqdn: Fqdn, pit_restore_id: Uuid }),
    query: Type.Object({
      format: Type.Optional(say(OneOf(FORMATS), '`changes` has every change by the page, `text` is a report')),
      ...ChangesQuery,
    }),
    response: PitRestoreDetail,
    alsoText: true,
    async handle({ db, services, subject: { part: row }, query: { format = 'json', ...given }, page }) {
      const restore = viewOf(row);
      if (format === 'json') return restore;
      const paging: ChangesPaging = given;
      const { changes_count: count, changes_are_cut: isCut } = row;
      const window = windowFor(paging);
      const list = await findChanges(db, row.id, count === null ? { offset: 0, limit: 0 } : window);
      const { next } = page(lastPageOf(paging), count ?? 0, []);
      // A string goes out as it is, in plain text.
      if (format === 'text') return textOf(restore, { list, isFirst: window.offset === 0, next, isCut }) as never;
      const changes =
        count === null ? null : { ...signChanges(services, row.site_id, list), is_truncated: isCut || next !== null };
      return { ...restore, changes, changes_count: count, changes_next: next };
    },
  }),
];
