import type { Services } from '#core/services.ts';
import { touchLatest, touchSites } from '#features/backup/backup.ts';
import { editorIsOpen } from '#features/code-editor/code-editor.sql.ts';
import { holdRecords, isProcessOf, notePodProcess, succeed } from '#features/hold/hold.ts';
import { announcePurge, routesOf, type SiteRow, siteReports, writeStatuses } from '#features/instance/instance.ts';
import { currentSlot, writeReading } from '#features/overview/overview.ts';
import { findLostSites, restoreLost } from '#features/pit-restore/restore-lost.ts';
import { deliverSiteMail } from '#features/site-mail/site-mail.ts';
import { noteStorage } from '#features/site-upkeep/site-upkeep.jobs.ts';
import { storageOfSites } from '#features/site-upkeep/site-upkeep.sql.ts';
import { errorLinesOf } from '#host/site-log/entries.ts';
import { signS3 } from '#timemachine/stores/s3-client.ts';
import { sealedObjectKey } from '#timemachine/stores/sealed.ts';
import { sealingKey } from '../backup-store.ts';
import { placeToSign } from './backup-places.ts';
import { isKnownSite, ownIds, ownSites } from './pod.sql.ts';
import type { PodAnswer, PodCall, PodInput } from './pod-calls.ts';

/** Who asks, by its certificate. */
export interface Asker {
  host: string;
  siteId: string;
}

type Handlers = { [Name in PodCall]: (input: PodInput<Name>, asker: Asker) => Promise<PodAnswer<Name>> };

/** Not said to be somebody else's: what a pod may not know of is not there. */
export class NotYours extends Error {}

/**
 * The platform's side of what pods ask. Each call does what a host with a database does by itself, and only to what is on the host that the
 * asker's certificate names: its site, the stage and previews of that, and its own process.
 */
export function podHandlers(services: Services): Handlers {
  const { db, secrets, config, jobs, hosts } = services;
  const records = holdRecords(services);
  const reports = siteReports(services);
  const own = async ({ host }: Asker, siteIds: readonly string[]): Promise<SiteRow[]> => ownSites(db, host, siteIds);
  /** The one, or nothing is done. */
  const ifOwn = async (asker: Asker, siteId: string, act: (site: SiteRow) => unknown): Promise<undefined> => {
    const [site] = await own(asker, [siteId]);
    if (site) await act(site);
  };
  const requireProcess = async ({ host }: Asker, processId: string) => {
    if (!(await isProcessOf(db, host, processId))) throw new NotYours('there is no such process');
  };
  return {
    hello: async (_input, { siteId }) => ({
      backupOwner: secrets.deriveLasting(`backup store of ${siteId}`),
      databaseSecret: config.newSites.driver === 'fpm' ? secrets.deriveLasting('databases of sites') : '',
    }),
    announce: async ({ idle_since, ...process }, { host }) =>
      nothing(notePodProcess(db, { ...process, host, idle_since: dateOf(idle_since) })),
    succeed: ({ id }, { host }) => nothing(succeed(db, host, id)),
    leave: async ({ id }, { host }) =>
      nothing((await isProcessOf(db, host, id)) ? records.leave(id) : Promise.resolve()),
    holds: async ({ siteIds }, { host }) => records.list(await ownIds(db, host, siteIds)),
    async letGo({ siteId, eventId, processId }, asker) {
      await requireProcess(asker, processId);
      const isOwn = (await ownIds(db, asker.host, [siteId])).length > 0;
      return nothing(isOwn ? records.answer({ site_id: siteId, event_id: eventId }, processId) : Promise.resolve());
    },
    routes: ({ siteId }, { host }) => routesOf(services, { host, ...(siteId !== undefined && { siteIds: [siteId] }) }),
    async touch({ siteIds }, asker) {
      const sites = await own(asker, siteIds);
      return nothing(
        touchSites(
          db,
          sites.map(({ id }) => id),
        ),
      );
    },
    touchLatest: ({ seconds }, { host }) => nothing(touchLatest(db, host, seconds)),
    async storage({ siteIds }, asker) {
      const sites = await own(asker, siteIds);
      return storageOfSites(
        db,
        sites.map(({ id }) => id),
      );
    },
    measured: ({ siteId, bytes }, asker) => ifOwn(asker, siteId, (site) => noteStorage(db, site, Math.round(bytes))),
    async editorIsOpen({ siteId }, asker) {
      const [site] = await own(asker, [siteId]);
      return site !== undefined && editorIsOpen(db, siteId);
    },
    async statuses({ statuses }, asker) {
      const ids = new Set(
        (
          await own(
            asker,
            statuses.map(({ siteId }) => siteId),
          )
        ).map(({ id }) => id),
      );
      const told = statuses.filter(({ siteId }) => ids.has(siteId));
      const entries = told.map(({ siteId, nextCronAt, ...status }) => {
        return [siteId, { ...status, nextCronAt: dateOf(nextCronAt) }] as const;
      });
      return nothing(writeStatuses(db, new Map(entries)));
    },
    purged: ({ siteId }, asker) => ifOwn(asker, siteId, () => announcePurge(db, siteId)),
    mail: ({ siteId }, asker) => ifOwn(asker, siteId, () => jobs.enqueueOnce(db, deliverSiteMail, { siteId }, siteId)),
    errors: ({ siteId, lines }, asker) =>
      ifOwn(asker, siteId, (site) => hosts.appendLog(site, 'error', errorLinesOf(lines))),
    async usage({ usage }, asker) {
      const teams = new Map(
        (
          await own(
            asker,
            usage.map(({ siteId }) => siteId),
          )
        ).map((site) => [site.id, site.team_id]),
      );
      const counted = usage.flatMap((each) => {
        const teamId = teams.get(each.siteId);
        // Whose it is nobody else decides.
        return teamId === undefined ? [] : [{ ...each, teamId, lastVisitAt: dateOf(each.lastVisitAt) }];
      });
      return nothing(reports.usage(counted));
    },
    woke: ({ siteId }, asker) => ifOwn(asker, siteId, () => reports.woke(siteId)),
    async reading({ processId, host }, asker) {
      await requireProcess(asker, processId);
      // A host has one, however many processes it says that it has.
      const reading = { processId: asker.host, host: { ...host, name: asker.host }, edge: null };
      return nothing(writeReading(db, await currentSlot(db), reading));
    },
    lostSites: ({ present }, { host }) => findLostSites(db, host, present),
    async restoreLost({ siteId, processId, kept }, asker) {
      await requireProcess(asker, processId);
      return nothing(restoreLost(services, { siteId, processId, kept, host: asker.host }));
    },
    async signBackup(request, asker) {
      const place = placeToSign(services, asker.siteId, request);
      // Also what is left of a pod whose site is gone has its certificate.
      if (!place || !(await isKnownSite(db, asker.siteId))) throw new NotYours('this is not kept for the site');
      return signS3(place, { method: request.method, query: request.query, ...keyOf(request) }, request.hash);
    },
    async backupKey({ name }) {
      return sealedObjectKey(sealingKey(secrets), name).toString('base64');
    },
  };
}

const nothing = async (work: Promise<unknown>): Promise<undefined> => void (await work);
const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
const keyOf = ({ key }: { key?: string }) => (key === undefined ? {} : { key });
