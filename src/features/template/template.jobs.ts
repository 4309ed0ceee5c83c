import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { Db } from '#core/db/database.ts';
import { inTransaction } from '#core/db/database.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { spaceOf } from '#features/backup/backup.ts';
import { cutNow } from '#features/backup-clock/backup-clock.ts';
import { findSiteById, nothing, type SiteRow } from '#features/instance/instance.ts';
import { addStorage } from '#features/team/team.ts';
import type { HostedSpec, Place, SiteRef } from '#host/site-host.ts';
import { keepRules } from '#runtimes/wordpress/keep-rules.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { exportSite } from './demo.export.ts';
import { DEMO_FOLDER } from './demo.ts';
import { withShippedArchive } from './shipped.ts';
import { refusalOf, withArchive } from './template.archive.ts';
import { findPicture } from './template.picture.ts';
import { deleteTemplateRow, lockTemplate, type TemplateRow, updateTemplateRow } from './template.sql.ts';

interface TemplateWork {
  templateId: string;
  eventId: string;
  /** Under which name the host has what is being made. */
  contentId: string;
  userId: string;
  mayUseAccounts: boolean;
  /** What was looked at when it was asked for: the row may say something else by now. */
  from: { url: string; commit: string } | { siteId: string | null } | { shipped: string; commit: string };
}

/** What is larger is read from the time machine each time: a second copy of it would cost more than the moment that it saves. */
const SHARED_BYTES = 256 * 1024 * 1024;
export const isSmall = ({ storage_bytes }: Pick<TemplateRow, 'storage_bytes'>) => storage_bytes <= SHARED_BYTES;

const nameOf = ({ hash, timeMs }: SnapshotName): SnapshotName => ({ hash, timeMs });

/** A backup that runs is waited for. */
const WAIT_MS = 5 * 60_000;
const UPGRADE = { timeoutMs: 300_000, maxOutputBytes: 65_536 };

/** Makes what sites are made from: a site that nobody visits, kept by the time machine, and gone from the host afterwards. */
export const buildTemplate = jobKind<TemplateWork>({
  name: 'template.build',
  // It waits for a Git server or for the template's own pages: a few at a time for each team.
  lane: 'git',
  async run(work, { services, commit, signal }) {
    const { db, hosts } = services;
    const template = await findWorking(db, work);
    const site = await siteOf(services, work);
    if (!template) {
      await undo(services, work, site ?? services.config.newSites);
      return commit((tx) => finishEvent(tx, work.eventId, { failure: DELETED }));
    }
    await reportProgress(db, work.eventId, { step: 'reading the site' });
    const spec = await specFor(services, template, work, site ?? services.config.newSites);
    try {
      if ('url' in work.from) await makeFromArchive(services, spec, work, work.from, template);
      else if ('shipped' in work.from) await makeShipped(services, spec, work.from.shipped, template);
      else await makeFromSite(services, spec, site, template);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal || refusal.status >= 500) throw error;
      // It would be refused again.
      await undo(services, work, spec);
      return commit((tx) => giveUp(tx, work, `${refusal.message}. Nothing is left of the attempt.`));
    }
    const command = {
      args: ['wp', 'core', 'update-db', '--skip-plugins', '--skip-themes'] as const,
      ...UPGRADE,
      signal,
    };
    const { exitCode, stderr } = await hosts.exec(spec, command);
    if (exitCode !== 0)
      services.log.info({ templateId: template.id, stderr: stderr.slice(0, 500) }, 'a template keeps its old tables');
    const rules = keepRules('wp_');
    const cut = await hosts.snapshot(spec, { space: template.id, rules, isSuspect: false, recorded: null }, { signal });
    const picture =
      template.shipped_as === null ? await findPicture(services, spec, template.id, nameOf(cut.newest)) : null;
    const contentBytes = await hosts.diskUsageBytes(spec);
    if (isSmall({ storage_bytes: contentBytes })) await hosts.shareCut(spec, template.id, nameOf(cut.newest));
    const plugins = template.plugins ?? (await pluginsIn(services, spec, template.id, cut.newest));
    const demo = template.wants_demo ? await makeDemo(services, spec, template, work.eventId, signal) : undefined;
    const storage_bytes = await hosts.diskUsageBytes(spec);
    await hosts.delete(spec);
    await commit(async (tx) => {
      const now = await lockTemplate(tx, template.id);
      if (now?.working_event_id !== work.eventId) {
        await forgetContent(tx, services, template.id, spec);
        return finishEvent(tx, work.eventId, { failure: DELETED });
      }
      await forgetLater(tx, services, now);
      await countStorage(tx, now, storage_bytes);
      await updateTemplateRow(tx, template.id, {
        ...{ content_id: spec.id, content_hash: cut.newest.hash, content_point: new Date(cut.newest.timeMs), plugins },
        ...{ host: spec.host, driver: spec.driver, core_version: spec.coreVersion, php_version: spec.phpVersion },
        ...{ working_event_id: null, commit_hash: 'commit' in work.from ? work.from.commit : null },
        ...{ storage_bytes, picture, demo_hash: demo?.hash ?? null, demo_point: demo ? new Date(demo.timeMs) : null },
      });
      const result = { name: template.name, ...(template.wants_demo && { demo: demo ? 'made' : NO_DEMO }) };
      await finishEvent(tx, work.eventId, { result });
    });
  },
  async undo(work, services) {
    const site = await siteOf(services, work);
    await undo(services, work, site ?? services.config.newSites);
  },
  abandon: (tx, work) => giveUp(tx, work, 'The template could not be made. Nothing is left of the attempt.'),
});

/** The site that it is made from, where it is one and is still there. */
async function siteOf({ db }: Services, { from }: TemplateWork): Promise<SiteRow | undefined> {
  return 'siteId' in from && from.siteId ? findSiteById(db, from.siteId) : undefined;
}

const DELETED = 'The template was deleted.';

async function findWorking(db: Db, { templateId, eventId }: TemplateWork): Promise<TemplateRow | undefined> {
  const template = await inTransaction(db as Services['db'], (tx) => lockTemplate(tx, templateId));
  return template?.working_event_id === eventId ? template : undefined;
}

/** A template that never was is gone with its name; one that was is as before. */
async function giveUp(tx: Db, { templateId, eventId }: TemplateWork, failure: string): Promise<void> {
  const template = await lockTemplate(tx, templateId);
  if (template?.working_event_id === eventId) {
    if (template.content_id === null) await deleteTemplateRow(tx, templateId);
    else await updateTemplateRow(tx, templateId, { working_event_id: null });
  }
  await finishEvent(tx, eventId, { failure });
}

async function undo(
  { hosts }: Services,
  { templateId, contentId }: TemplateWork,
  { host, driver }: Place,
): Promise<void> {
  const content = { id: contentId, host, driver };
  await hosts.delete(content);
  await hosts.forget(content, templateId);
}

/** It reaches nothing and nobody reaches it, under a name that no DNS will ever know. */
async function specFor(
  { hosts, secrets }: Services,
  template: TemplateRow,
  { contentId, userId }: TemplateWork,
  at: Place & Partial<Pick<SiteRow, 'core_version'>>,
): Promise<HostedSpec> {
  const { host, driver } = at;
  const versions = await hosts.prepared({ host, driver });
  const known = await hosts.coreVersions({ host, driver });
  const own = at.core_version && known.includes(at.core_version) ? at.core_version : versions.coreVersion;
  return {
    ...{ id: contentId, host, driver, team: template.team_id ?? userId, url: `http://${contentId}.invalid` },
    ...{ coreVersion: own, phpVersion: versions.phpVersion },
    accessKey: secrets.derive(`site access ${contentId}`),
    saltKey: secrets.deriveLasting(`site access ${contentId}`),
    ...{ isCopy: true, isOffline: true, isDebugging: false },
  };
}

const changeFor = ({ theme }: TemplateRow) => ({ people: 'none' as const, ...(theme !== null && { theme }) });

function makeFromArchive(
  services: Services,
  spec: HostedSpec,
  work: TemplateWork,
  { url, commit }: { url: string; commit: string },
  template: TemplateRow,
): Promise<void> {
  return withArchive(services.db, services, { ...work, url }, async ({ sizeBytes, read, commit: found }) => {
    if (found !== commit) throw new ArchiveRefused('the repository has another commit by now; fetch it again');
    await services.hosts.make(spec, { kind: 'import', sizeBytes, read, change: changeFor(template) });
  });
}

function makeShipped(services: Services, spec: HostedSpec, name: string, template: TemplateRow): Promise<void> {
  return withShippedArchive(name, (archive) =>
    services.hosts.make(spec, { kind: 'import', ...archive, change: changeFor(template) }),
  );
}

/** Whoever has the site by now has not asked for it. */
export const SITE_LEFT = 'The site that the template was made from is no longer in its team.';

async function makeFromSite(
  services: Services,
  spec: HostedSpec,
  site: SiteRow | undefined,
  template: TemplateRow,
): Promise<void> {
  if (!site || site.team_id !== template.team_id) throw new ArchiveRefused(SITE_LEFT);
  const moment = await cutNow(services, site.id, WAIT_MS);
  const space = await spaceOf(services.db, site.id);
  await services.hosts.make(spec, { kind: 'cut', space, site: site.id, moment, change: changeFor(template) });
}

const NO_DEMO = 'The front page could not be shown, so there is no demo.';

/** Lays the export beside the content and keeps that too. What sites are made from was kept before. */
async function makeDemo(
  { db, hosts }: Services,
  spec: HostedSpec,
  template: TemplateRow,
  eventId: string,
  signal: AbortSignal,
): Promise<SnapshotName | undefined> {
  await reportProgress(db, eventId, { step: 'making the demo' });
  const pages = await exportSite(hosts, spec, signal);
  await hosts.stop(spec);
  if (!pages) return undefined;
  const kept = { space: template.id, rules: keepRules('wp_'), isSuspect: false, recorded: null };
  const files = [...pages].map(([name, { length: sizeBytes }]) => ({
    path: `${DEMO_FOLDER}/${name}`,
    ...{ isExecutable: false, name, ref: null, sizeBytes },
  }));
  const give = async (names: string[]) => names.map((name) => pages.get(name) ?? Buffer.alloc(0));
  await hosts.deploy(spec, kept, { files, links: [], gone: [], before: {} }, { give, signal });
  const { newest } = await hosts.snapshot(spec, kept, { signal });
  return nameOf(newest);
}

const MAX_LISTED_FILES = 20_000;

async function pluginsIn(
  { hosts }: Services,
  spec: HostedSpec,
  space: string,
  moment: SnapshotName,
): Promise<string[]> {
  const part = { prefix: 'plugins/', limit: MAX_LISTED_FILES };
  const { files } = await hosts.keptFiles(spec, space, nameOf(moment), part);
  const folders = files.map(({ path }) => path.split('/')).filter((parts) => parts.length > 2);
  return [...new Set(folders.map(([, name]) => name as string))].sort();
}

/** Whoever makes a site from it has begun by then, and has ended. */
const KEPT_MS = 3_600_000;

/** What is kept for a team counts for its storage, whatever it is. */
export async function countStorage(tx: Db, { team_id, storage_bytes }: TemplateRow, now: number): Promise<void> {
  if (team_id !== null) await addStorage(tx, team_id, now - storage_bytes);
}

/** What sites were made from until now. */
export async function forgetLater(
  tx: Db,
  services: Services,
  { id, content_id, host, driver }: TemplateRow,
): Promise<void> {
  if (content_id === null || host === null || driver === null) return;
  await forgetContent(tx, services, id, { id: content_id, host, driver }, new Date(Date.now() + KEPT_MS));
}

function forgetContent(
  tx: Db,
  { jobs }: Services,
  space: string,
  { id, host, driver }: SiteRef,
  at?: Date,
): Promise<void> {
  return jobs.enqueueOnce(tx, forgetTemplate, { space, id, host, driver }, id, at);
}

export const forgetTemplate = jobKind<SiteRef & { space: string }>({
  name: 'template.forget',
  lane: 'upkeep',
  async run({ space, ...content }, { services, commit }) {
    await services.hosts.delete(content);
    await services.hosts.forget(content, space);
    await commit(nothing);
  },
});
