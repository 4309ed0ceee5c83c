import { type Db, inTransaction } from '#core/db/database.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { startClock } from '#features/backup/backup.ts';
import { cutHeld } from '#features/backup-clock/backup-clock.ts';
import { type HeldWork, type HoldKind, holdAs, onHeldSite, release } from '#features/hold/hold.ts';
import { announcePurge, findOwn, nothing, type SiteRow, updateSite } from '#features/instance/instance.ts';
import { brokenSince, lookAtPages, saidSince, takeBack, whyTakenBack } from '#features/page-check/page-check.ts';
import { askSite, SoftwareBroke, type Wish } from './site-software.ask.ts';
import { mailTakenBack } from './site-software.mail.ts';
import { countRefused, keyOf } from './site-software.refused.ts';
import type { Step } from './site-software.schema.ts';
import { findSoftware, putSoftware } from './site-software.sql.ts';
import { type ChangeState, detailOf, stateOf, writeState } from './site-software.state.ts';
import { keepFound } from './site-software.view.ts';
import { refusalOf } from './site-software.words.ts';

export interface ChangeWork extends HeldWork {
  steps: Step[];
  wishes: Wish[];
  isByPolicy: boolean;
}

interface Change {
  services: Services;
  work: ChangeWork;
  site: SiteRow;
}

/**
 * Changes what a site runs: plugins, themes, WordPress, PHP. Its pages are looked at while it goes on; then visitors wait: the site is kept as it is, the
 * change is made by WordPress itself, and its pages are looked at again. Where one broke, the site goes back to what it was.
 */
export const changeSoftware = jobKind<ChangeWork>({
  name: 'software.change',
  lane: 'site',
  async run(work, { services, commit }) {
    const site = await findOwn(services, work);
    if (!site) return commit(nothing);
    const change = { services, work, site };
    const state = await advance(change);
    if (state.phase === 'undoing' && state.undo) await takeBack(services, work, site, state.undo);
    const coreVersions = await services.hosts.coreVersions(site);
    await commit((tx) =>
      state.phase === 'checking' ? endWell(tx, change, state, coreVersions) : endBadly(tx, change, state),
    );
  },
  async undo(work, services) {
    const site = await findOwn(services, work);
    const { undo } = stateOf(await findSoftware(services.db, work.siteId), work);
    if (site && undo) {
      await inTransaction(services.db, (tx) => holdAs(tx, work, 'updating'));
      await takeBack(services, work, site, undo);
    }
  },
  async abandon(tx, work, _error, undone) {
    // What may be half changed is not served, and neither has it ended: an operator mends the cause and repeats the job.
    if (!undone) return reportProgress(tx, work.eventId, { problem: HALF });
    const state = stateOf(await findSoftware(tx, work.siteId), work);
    await announcePurge(tx, work.siteId);
    if (await release(tx, work)) await updateSite(tx, work.siteId, versions(state, 'from'));
    await putSoftware(tx, work.siteId, { running: null });
    await finishEvent(tx, work.eventId, {
      failure: 'The change failed, and the site is as before.',
      result: { ...detailOf(state), state: 'failed' },
    });
  },
});

const HALF = 'The change could not be finished. Visitors see a notice until the platform has mended it.';

/** What the row of the site says of WordPress and PHP before the change, or after it. */
function versions({ steps }: Pick<ChangeState, 'steps'>, side: 'from' | 'to') {
  const of = (kind: Step['kind']) => steps.find((step) => step.kind === kind)?.[side];
  const [core_version, php_version] = [of('core'), of('php')];
  return { ...(core_version && { core_version }), ...(php_version && { php_version }), storage_is_stale: true };
}

/** From wherever the attempt before came to. */
async function advance(change: Change): Promise<ChangeState> {
  const { services, work, site } = change;
  let state = stateOf(await findSoftware(services.db, site.id), work);
  if (state.phase === 'applying') {
    // How far that came nobody knows.
    if (state.undo) await takeBack(services, work, site, state.undo);
    state = await enter(change, { eventId: work.eventId, phase: 'looking', steps: work.steps }, 'update_look');
  }
  if (state.phase === 'looking') state = await apply(change, state);
  if (state.phase === 'checking') state = await check(change, state);
  return state;
}

/** Written together with how the site is held from then on, and with what it runs on. */
async function enter({ services, work, site }: Change, state: ChangeState, kind: HoldKind): Promise<ChangeState> {
  await inTransaction(services.db, async (tx) => {
    await writeState(tx, site.id, state);
    await holdAs(tx, work, kind);
    if (state.phase === 'checking') await updateSite(tx, site.id, versions(state, 'to'));
    if (state.phase === 'undoing') await updateSite(tx, site.id, versions(state, 'from'));
    // Heard before anybody is let in to pages of before.
    if (state.phase === 'checking') await announcePurge(tx, site.id);
  });
  return state;
}

async function apply(change: Change, begun: ChangeState): Promise<ChangeState> {
  const { services, work, site } = change;
  const { db } = services;
  await reportProgress(db, work.eventId, { step: 'looking at its pages' });
  const before = await lookAtPages(services, site);
  let state = await enter(change, { ...begun, phase: 'applying', before }, 'updating');
  await reportProgress(db, work.eventId, { step: 'keeping it as it is' });
  const target = { ...site, ...versions(state, 'to') };
  return onHeldSite(services, work, async (signal) => {
    state = { ...state, undo: await cutHeld(services, site, signal) };
    await writeState(db, site.id, state);
    await reportProgress(db, work.eventId, { step: 'changing it' });
    try {
      const { errors, ...found } = await askSite(services, target, work.wishes, { signal, asHolder: true });
      const titleOf = ({ kind, name, title }: Step) =>
        found.items.find((item) => item.kind === kind && item.name === name)?.title ?? title;
      // What is new was called by its folder until now.
      const steps = state.steps.map((step, index) => ({
        ...step,
        title: titleOf(step),
        error: errors[index] ?? null,
      }));
      const isRefused = steps.every(({ error }) => error !== null);
      state = { ...state, steps, found, phase: isRefused ? 'refused' : 'checking' };
    } catch (error) {
      if (!(error instanceof SoftwareBroke)) throw error;
      state = { ...state, phase: 'undoing', broken: [], said: error.said };
    }
    return enter(change, state, state.phase === 'checking' ? 'update_check' : 'updating');
  });
}

async function check(change: Change, state: ChangeState): Promise<ChangeState> {
  const { services, work, site } = change;
  await reportProgress(services.db, work.eventId, { step: 'looking at its pages again' });
  const place = await services.hosts.endOfLog(site, 'error');
  const after = await lookAtPages(services, site, state.before);
  const broken = brokenSince(state.before ?? [], after);
  if (broken.length === 0) return { ...state, after };
  const said = await saidSince(services, site, place);
  return enter(change, { ...state, phase: 'undoing', after, broken, said }, 'updating');
}

async function endWell(tx: Db, change: Change, state: ChangeState, coreVersions: string[]): Promise<void> {
  const { work, site } = change;
  await announcePurge(tx, site.id);
  if (!(await release(tx, work))) return;
  const now = { ...site, ...versions(state, 'to') };
  if (state.found) await keepFound(tx, now, state.found, coreVersions);
  await putSoftware(tx, site.id, { running: null });
  await tellRefused(tx, change, state);
  // The state that it brought gets its own backup at once.
  await startClock(tx, site.id, site.team_id);
  await finishEvent(tx, work.eventId, { result: { ...detailOf(state), state: 'kept' } });
}

async function endBadly(tx: Db, change: Change, state: ChangeState): Promise<void> {
  const { services, work, site } = change;
  await announcePurge(tx, site.id);
  if (!(await release(tx, work))) return;
  await updateSite(tx, site.id, versions(state, 'from'));
  await startClock(tx, site.id, site.team_id);
  const isTakenBack = state.phase === 'undoing';
  const failure = isTakenBack ? reasonOf(state) : refusalOf(state.steps);
  const rejected = isTakenBack ? await rejectedBy(tx, site, state) : {};
  await putSoftware(tx, site.id, { running: null, ...rejected });
  const result = { ...detailOf(state), state: isTakenBack ? 'taken_back' : 'failed' };
  await finishEvent(tx, work.eventId, { failure, result });
  if (!isTakenBack) return tellRefused(tx, change, state);
  if (work.isByPolicy)
    await services.jobs.enqueue(tx, mailTakenBack, { siteId: site.id, fqdn: site.fqdn, teamId: site.team_id, failure });
}

/** What was to be updated by itself and is not: it is tried for some nights, and then its owner is told. */
async function tellRefused(tx: Db, { services, work, site }: Change, { steps }: ChangeState): Promise<void> {
  if (!work.isByPolicy) return;
  const { refused, isGivenUp } = countRefused(await findSoftware(tx, site.id), steps);
  await putSoftware(tx, site.id, { refused });
  if (!isGivenUp) return;
  const mail = { siteId: site.id, fqdn: site.fqdn, teamId: site.team_id, failure: refusalOf(steps), isRefused: true };
  await services.jobs.enqueue(tx, mailTakenBack, mail);
}

function reasonOf({ broken = [], before = [], said = [] }: ChangeState): string {
  if (broken.length > 0) return whyTakenBack('change', { broken, before, said });
  return `The change was rolled back, because WordPress broke over it.${said[0] ? ` PHP said: ${said[0]}` : ''}`;
}

/** The updates that broke the site, by what they were of. */
async function rejectedBy(tx: Db, site: SiteRow, { steps }: ChangeState): Promise<{ rejected: string }> {
  const known = (await findSoftware(tx, site.id))?.rejected as Record<string, string> | undefined;
  const updates = steps.filter(({ action, to }) => action === 'update' && to !== null);
  const added = Object.fromEntries(updates.map((step) => [keyOf(step), step.to]));
  return { rejected: JSON.stringify({ ...known, ...added }) };
}
