import type { Db } from '#core/db/database.ts';
import { eventDetail } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { requireIdle, siteBusy } from '#features/hold/hold.ts';
import { lockNamedSite, type SiteRow, siteOrStage } from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { askSite, SoftwareBroke } from './site-software.ask.ts';
import type { Answer, Found } from './site-software.read.ts';
import {
  changeFailed,
  checkFailed,
  type Extension,
  extensionFixed,
  extensionNotFound,
  type NewExtension,
  nothingToUpdate,
  type Software,
  type SoftwareUpdate,
  type Step,
  softwareUnknown,
} from './site-software.schema.ts';
import { findSoftware } from './site-software.sql.ts';
import { startChange, stepOf, updateSteps, wishOf } from './site-software.start.ts';
import { newerCore, viewSoftware } from './site-software.view.ts';

export { startChange, versionFaults, versionSteps, wishOf } from './site-software.start.ts';

/** What a plugin or a theme of a site calls itself, by its kind and its folder, as WordPress last told it. */
export async function titlesOf(db: Db, siteId: string): Promise<(kind: string, name: string) => string | undefined> {
  const found = (await findSoftware(db, siteId))?.found as Found | null | undefined;
  return (kind, name) => found?.items.find((each) => each.kind === kind && each.name === name)?.title;
}

const asked = new Map<string, Promise<Answer>>();

/** Asks the site's WordPress what it runs. Whoever asks meanwhile gets the same. */
export async function askSoftware(services: Services, site: SiteRow): Promise<Answer> {
  requireIdle(site);
  const running = asked.get(site.id) ?? askSite(services, site, []).finally(() => asked.delete(site.id));
  asked.set(site.id, running);
  try {
    return await running;
  } catch (error) {
    if (error instanceof SiteFailure) throw error.reason === 'stopped' ? siteBusy() : checkFailed();
    if (!(error instanceof SoftwareBroke)) throw error;
    const said = error.said[0] ? ` PHP said: ${error.said[0]}` : '';
    throw checkFailed({ message: `WordPress broke when it was asked what it runs.${said}` });
  }
}

interface Wanted {
  steps: Step[];
  activate?: boolean;
}

/** Finds out what is wanted of the site, or of its stage, as its list is now, and starts it. */
async function start(
  call: Call,
  named: SiteRow,
  isStage: boolean | undefined,
  want: (site: SiteRow, found: Found | undefined) => Promise<Wanted> | Wanted,
): Promise<Software> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, named.team_id);
  const site = await siteOrStage(db, await lockNamedSite(db, named), isStage);
  requireIdle(site);
  const found = (await findSoftware(db, site.id))?.found as Found | null | undefined;
  const { steps, activate } = await want(site, found ?? undefined);
  const wishes = steps.map((step) => ({ ...wishOf(step), ...(activate && { activate }) }));
  call.headers['operation-id'] = await startChange(db, services, site, caller, steps, wishes);
  return viewSoftware(db, services, site);
}

export function updateSoftware(call: Call, named: SiteRow, isStage: boolean | undefined, wish: SoftwareUpdate) {
  return start(call, named, isStage, async (site, found) => {
    const needsList = wish.plugins || wish.themes || (!wish.core_version && !wish.php_version);
    if (!found && needsList) throw softwareUnknown();
    const newest = newerCore(await call.services.hosts.coreVersions(site), site) ?? undefined;
    const steps = updateSteps(site, found ?? NOTHING_FOUND, newest, wish);
    if (steps.length === 0) throw nothingToUpdate();
    return { steps };
  });
}

const NOTHING_FOUND: Found = { items: [], health: [], unreached: null };

export function installExtension(call: Call, named: SiteRow, isStage: boolean | undefined, wish: NewExtension) {
  const { kind, name, activate = false } = wish;
  return start(call, named, isStage, (_site, found) => {
    const known = found?.items.find((each) => each.kind === kind && each.name === name);
    if (known) throw extensionFixed({ message: `The site has this ${kind} already.` });
    const step: Step = { kind, action: 'install', name, title: name, from: null, to: null, error: null };
    return { steps: [step], activate };
  });
}

type Named = Pick<Extension, 'kind' | 'name'>;

export function switchExtension(
  call: Call,
  named: SiteRow,
  isStage: boolean | undefined,
  which: Named,
  isActive: boolean,
) {
  return start(call, named, isStage, (_site, found) => {
    const item = itemOf(found, which);
    if (!isActive && item.kind === 'theme')
      throw extensionFixed({ message: 'A theme is left by switching another one on.' });
    if (isActive === (item.state === 'active'))
      throw extensionFixed({ message: `It is ${isActive ? 'on' : 'off'} already.` });
    return { steps: [stepOf(item, isActive ? 'activate' : 'deactivate')] };
  });
}

export function deleteExtension(call: Call, named: SiteRow, isStage: boolean | undefined, which: Named) {
  return start(call, named, isStage, (_site, found) => {
    const item = itemOf(found, which);
    if (item.kind === 'theme' && item.state !== 'inactive')
      throw extensionFixed({ message: 'The site shows itself in this theme; switch another one on first.' });
    return { steps: [stepOf(item, 'delete')] };
  });
}

function itemOf(found: Found | undefined, { kind, name }: Named): Extension {
  if (!found) throw softwareUnknown();
  const item = found.items.find((each) => each.kind === kind && each.name === name);
  if (!item) throw extensionNotFound();
  if (item.state === 'must_use')
    throw extensionFixed({ message: 'It is a must-use plugin: always on, and changed by its files alone.' });
  return item;
}

/** The answer for whoever waited: what the site runs now, or why the change did not stay. */
export async function rereadSoftware(
  { db, services, subject }: Call<unknown, { stage?: boolean }, unknown, SiteRow>,
  isStage: boolean | undefined,
  eventId: string,
): Promise<Software> {
  const { failure } = await eventDetail(db, eventId);
  if (typeof failure === 'string') throw changeFailed({ message: failure });
  return viewSoftware(db, services, await siteOrStage(db, subject, isStage));
}
