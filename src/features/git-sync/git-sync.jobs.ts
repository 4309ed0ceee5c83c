import { type Db, inTransaction, type Tx } from '#core/db/database.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { GitFailed } from '#core/git.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs, startClock } from '#features/backup/backup.ts';
import { recordCut } from '#features/backup-clock/backup-clock.ts';
import { type HeldWork, holdAs, onHeldSite, release } from '#features/hold/hold.ts';
import { announcePurge, findOwn, type SiteRow, updateSite } from '#features/instance/instance.ts';
import { brokenSince, lookAtPages, saidSince, takeBack, whyTakenBack } from '#features/page-check/page-check.ts';
import { reportOf } from '#features/pit-restore/pit-restore.ts';
import { againIfOutdated } from '#timemachine/failure.ts';
import type { Recovery, SnapshotName } from '#timemachine/process/protocol.ts';
import { broughtBy, packFiles, readCommitFiles, unpackFiles } from './git-sync.files.ts';
import { mailDeployTakenBack } from './git-sync.mail.ts';
import { openingOf } from './git-sync.open.ts';
import { CONTENT_FOLDER } from './git-sync.rules.ts';
import { findLink, type LinkRow, noteProblem, updateLink } from './git-sync.sql.ts';
import { detailOf, type SyncState, stateOf, writeState } from './git-sync.state.ts';

interface SyncWork extends HeldWork {
  /** Event of the creation that this sync completes. */
  creationEventId?: string;
}

interface Sync {
  services: Services;
  work: SyncWork;
  site: SiteRow;
  link: LinkRow;
}

/**
 * Brings a site to the newest commit of the branch that it follows. The site goes on while that is fetched. Then visitors wait: the
 * site is kept as it is, files are placed in one step, and its pages are looked at; where one broke, all of it is taken back. What was
 * begun when a worker died is ended by the next attempt.
 */
export const syncSite = jobKind<SyncWork>({
  name: 'git.sync',
  lane: 'git',
  async run(work, { services, commit }) {
    const site = await findOwn(services, work);
    if (!site) return commit((tx) => finishSync(tx, work, { failure: DELETED }));
    const link = await findLink(services.db, site.id);
    if (!link) return commit((tx) => giveUp(tx, work, 'The site is linked to no repository any more.'));
    const sync = { services, work, site, link };
    try {
      const state = await advance(sync);
      if (state.phase === 'undoing') {
        if (!state.undo) throw new Error('a deploy knows what the site was like before it');
        await takeBack(services, work, site, state.undo);
        await commit((tx) => endUndone(tx, sync, state));
      } else await commit((tx) => endWell(tx, sync, state));
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      // What is wrong with the repository stays wrong for now; it is looked at again by the clock.
      await recover(sync);
      await commit((tx) => giveUp(tx, work, sentenceOf(error)));
    }
  },
  async undo(work, services) {
    const site = await findOwn(services, work);
    const link = site && (await findLink(services.db, site.id));
    if (site && link) await recover({ services, work, site, link });
  },
  async abandon(tx, work, _error, undone) {
    if (undone) {
      // The platform's own trouble: the clock tries the same commit again.
      await updateLink(tx, work.siteId, { tried_hash: null });
      return giveUp(tx, work, 'The sync failed. The site is whole: as before it, or as in the repository.');
    }
    // What may be half in place is not served, and neither has it ended: an operator mends the cause and repeats the job.
    await reportProgress(tx, work.eventId, { problem: HALF });
  },
});

const HALF = 'The sync could not be finished. Visitors see a notice until the platform has mended it.';

function sentenceOf({ reason, message }: GitFailed): string {
  const isOfContent = reason === 'unusable' || reason === 'refused';
  const sentence = isOfContent ? `The repository can not be deployed: ${message}` : message;
  return `${sentence.replace(/[.]?$/, '.')} Nothing was changed.`;
}

/** From wherever the attempt before came to, until all is in place or is to be taken back. */
async function advance(sync: Sync): Promise<SyncState> {
  let state = stateOf(sync.link, sync.work);
  if (state.phase === 'applying') state = await resume(sync, state);
  if (state.phase === 'fetching') state = await deploy(sync, state);
  if (state.phase === 'checking') state = await check(sync, state);
  return state;
}

/** Written together with how the site is held from then on. */
async function enter(
  { services, work, site }: Sync,
  state: SyncState,
  kind: 'git_fetch' | 'git_sync' | 'git_check',
): Promise<SyncState> {
  await inTransaction(services.db, async (tx) => {
    await writeState(tx, site.id, state);
    await holdAs(tx, work, kind);
    // Heard before anybody is let in to pages of before.
    if (kind === 'git_check') await announcePurge(tx, site.id);
  });
  return state;
}

async function deploy(sync: Sync, begun: SyncState): Promise<SyncState> {
  const { services, work, site, link } = sync;
  const { db, git, hosts } = services;
  await reportProgress(db, work.eventId, { step: 'fetching the repository' });
  const { url, credential } = await openingOf(services, link);
  const branch = link.branch ?? undefined;
  const options = { branch, credential, folders: [CONTENT_FOLDER], who: site.team_id, cache: site.id };
  return git.withTree(url, options, async (tree) => {
    await updateLink(db, site.id, {
      tried_hash: tree.commit,
      ...(branch === undefined && { default_branch: tree.branch }),
    });
    const found = await readCommitFiles(tree, unpackFiles(link.files));
    const { commit, subject, author } = tree;
    const checks = await lookAtPages(services, site);
    const about = { commit, branch: tree.branch, subject, author, checks, pointers: found.pointers };
    let state = await enter(sync, { ...begun, phase: 'applying', ...about }, 'git_sync');
    const give = (names: string[]) =>
      tree.read(names.map((name) => found.byOid.get(name) ?? { oid: name, sizeBytes: 0 }));
    const deployOnce = async (signal: AbortSignal) => {
      const begunAt = await databaseTime(db);
      await hosts.deploy(site, await keptAs(services, site), found.laying, {
        signal,
        give,
        onProgress: reportOf(db, work.eventId),
        onPlanned: async ({ now, difference }) => {
          if (!now || !difference.laid) throw new Error('a deploy tells what the site was like before it');
          const { hash, timeMs } = now.newest;
          const { filesAdded, filesRestored, filesDeleted } = difference.counters;
          const counters = { files_added: filesAdded, files_changed: filesRestored, files_deleted: filesDeleted };
          const { overwritten, refs } = difference.laid;
          state = { ...state, undo: { hash, timeMs }, counters, overwritten };
          await inTransaction(db, async (tx) => {
            await recordCut(tx, site, now, begunAt);
            await writeState(tx, site.id, state, packFiles(broughtBy(found, refs)));
          });
        },
      });
    };
    await onHeldSite(services, work, (signal) => againIfOutdated(() => deployOnce(signal)));
    return enter(sync, { ...state, phase: 'checking' }, 'git_check');
  });
}

/** The attempt before died while files were placed: that is finished, or it never began. */
async function resume(sync: Sync, state: SyncState): Promise<SyncState> {
  const isDone = await onHeldSite(sync.services, sync.work, async () => {
    const outcome = await recoverFiles(sync);
    return state.undo !== undefined && (outcome === 'finished' || (await differsFrom(sync, state.undo)));
  });
  if (isDone) return enter(sync, { ...state, phase: 'checking' }, 'git_check');
  return enter(sync, { eventId: state.eventId, phase: 'fetching' }, 'git_fetch');
}

/** Nobody else had the site since: where it is not as before, all of it had been placed. */
async function differsFrom({ services, site }: Sync, undo: SnapshotName): Promise<boolean> {
  const begunAt = await databaseTime(services.db);
  const wish = { point: undo, files: true, tables: false, deleteExtraFiles: true };
  const plan = await services.hosts.plan(site, await keptAs(services, site), wish, { offset: 0, limit: 0 });
  const { now } = plan;
  if (now) await inTransaction(services.db, (tx) => recordCut(tx, site, now, begunAt));
  return plan.difference.count > 0;
}

async function check(sync: Sync, state: SyncState): Promise<SyncState> {
  const { services, work, site } = sync;
  await reportProgress(services.db, work.eventId, { step: 'looking at its pages' });
  const place = await services.hosts.endOfLog(site, 'error');
  const after = await lookAtPages(services, site, state.checks);
  const broken = brokenSince(state.checks ?? [], after);
  if (broken.length === 0) return { ...state, after };
  const said = await saidSince(services, site, place);
  return enter(sync, { ...state, phase: 'undoing', after, broken, said }, 'git_sync');
}

/** Ends what was begun, in one way or the other. */
async function recover(sync: Sync): Promise<void> {
  const { services, work, site } = sync;
  const link = await findLink(services.db, site.id);
  const { phase } = link ? stateOf(link, work) : { phase: 'fetching' };
  if (phase === 'fetching' || phase === 'checking') return;
  await onHeldSite(services, work, () => recoverFiles(sync));
}

async function recoverFiles({ services, site }: Sync): Promise<Recovery> {
  return services.hosts.recover(site, await keptAs(services, site));
}

async function endWell(tx: Tx, { work, site, link }: Sync, state: SyncState): Promise<void> {
  await announcePurge(tx, site.id);
  if (!(await release(tx, work))) return finishSync(tx, work, { failure: DELETED });
  const hash = state.commit as string;
  await updateSite(tx, site.id, { git_last_sync_hash: hash, storage_is_stale: true });
  const files = (await findLink(tx, site.id))?.running_files ?? link.files;
  await updateLink(tx, site.id, { files, problem: null, ...ENDED });
  // The state that it brought gets its own backup at once.
  await startClock(tx, site.id, site.team_id);
  await finishSync(tx, work, { result: detailOf(state) });
}

async function endUndone(tx: Tx, { services, work, site }: Sync, state: SyncState): Promise<void> {
  const { broken = [], checks = [], said = [] } = state;
  const failure = whyTakenBack('deploy', { broken, before: checks, said });
  await announcePurge(tx, site.id);
  if (!(await release(tx, work))) return finishSync(tx, work, { failure: DELETED });
  await updateSite(tx, site.id, { storage_is_stale: true });
  await updateLink(tx, site.id, ENDED);
  await noteProblem(tx, site.id, failure);
  await startClock(tx, site.id, site.team_id);
  await finishSync(tx, work, { failure, result: detailOf(state) });
  const { commit = '', subject = '' } = state;
  const mail = { teamId: site.team_id, fqdn: site.fqdn, commit, subject, failure };
  await services.jobs.enqueue(tx, mailDeployTakenBack, mail);
}

const ENDED = { running: null, running_files: null };

async function giveUp(tx: Db, work: SyncWork, failure: string): Promise<void> {
  const { siteId } = work;
  await announcePurge(tx, siteId);
  await release(tx, work);
  await updateLink(tx, siteId, ENDED);
  await noteProblem(tx, siteId, failure);
  await finishSync(tx, work, { failure });
}

const DELETED = 'The site was deleted before its sync ended.';

/** Ends the event of the sync and, for a first sync, the event of the site's creation. */
async function finishSync(
  db: Db,
  { eventId, creationEventId }: SyncWork,
  detail: { failure?: string; result?: Record<string, unknown> },
): Promise<void> {
  await finishEvent(db, eventId, detail);
  if (creationEventId === undefined) return;
  const { failure } = detail;
  const told = failure && { failure: `The site is ready, but the first sync with its repository failed. ${failure}` };
  await finishEvent(db, creationEventId, { ...told });
}
