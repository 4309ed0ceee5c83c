import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault, invalid } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { hold } from '#features/hold/hold.ts';
import { recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import type { Wish } from './site-software.ask.ts';
import { changeSoftware } from './site-software.jobs.ts';
import type { Found } from './site-software.read.ts';
import type { Extension, SoftwareUpdate, Step } from './site-software.schema.ts';
import { putSoftware } from './site-software.sql.ts';
import { sentenceOf } from './site-software.words.ts';

/** Who wants a change; null where the policy of the team does. */
type Who = Pick<Caller, 'userId' | 'fullName'> | null;

/** Writes the event and the job, and holds the site. The caller has locked it and seen that it is idle. */
export async function startChange(
  db: Db,
  services: Services,
  site: SiteRow,
  by: Who,
  steps: Step[],
  wishes: Wish[],
): Promise<string> {
  const eventId = await recordSiteEvent(db, by, site, {
    event_type: 'software.changed',
    activity: `${by ? by.fullName : 'The platform'} ${sentenceOf(steps)} on ${site.fqdn}`,
    detail: { changes: steps, trigger: by ? 'request' : 'policy' },
    unfinished: true,
  });
  const work = { siteId: site.id, eventId, steps, wishes, isByPolicy: by === null };
  await services.jobs.enqueue(db, changeSoftware, work, site.id, site.team_id);
  await putSoftware(db, site.id, { event_id: eventId });
  await hold(db, [site.id], 'update_look', eventId);
  return eventId;
}

export function stepOf(item: Extension, action: Step['action']): Step {
  const { kind, name, title, version, update } = item;
  return { kind, action, name, title, from: version, to: action === 'update' ? update : version, error: null };
}

/** Another WordPress or another PHP: what the row of the site says. */
export function versionSteps(site: SiteRow, wish: Pick<SoftwareUpdate, 'core_version' | 'php_version'>): Step[] {
  const step = (kind: 'core' | 'php', title: string, from: string | null, to: string | undefined): Step[] =>
    to === undefined || to === from ? [] : [{ kind, action: 'update', name: kind, title, from, to, error: null }];
  return [
    ...step('php', 'PHP', site.php_version, wish.php_version),
    ...step('core', 'WordPress', site.core_version, wish.core_version),
  ];
}

export const wishOf = ({ kind, action, name }: Step): Wish => ({ kind, action, name });

/** A version that is not there is a fault of its field. */
export async function versionFaults(
  { hosts }: Services,
  site: SiteRow,
  { core_version, php_version }: Pick<SoftwareUpdate, 'core_version' | 'php_version'>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const look = async (field: string, wanted: string | undefined, has: string | null, list: () => Promise<string[]>) => {
    if (wanted === undefined || wanted === has) return;
    const known = await list();
    if (!known.includes(wanted))
      faults.push(bodyFault(field, `Value error, the versions to choose from are ${known.join(', ')}`));
  };
  await look('core_version', core_version, site.core_version, () => hosts.coreVersions(site));
  await look('php_version', php_version, site.php_version, () => hosts.phpVersions(site));
  return faults;
}

/** What an update comes to: what is named, or all that waits where nothing is. */
export function updateSteps(site: SiteRow, found: Found, newestCore: string | undefined, wish: SoftwareUpdate): Step[] {
  const { plugins, themes, core_version, php_version } = wish;
  if ([plugins, themes, core_version, php_version].every((each) => each === undefined)) {
    const waiting = found.items.filter(({ update }) => update !== null).map((item) => stepOf(item, 'update'));
    return [...versionSteps(site, newestCore === undefined ? {} : { core_version: newestCore }), ...waiting];
  }
  const faults: Fault[] = [];
  const named = (kind: Extension['kind'], names: readonly string[] = []) =>
    names.flatMap((name) => {
      const item = found.items.find((each) => each.kind === kind && each.name === name && each.state !== 'must_use');
      if (!item) faults.push(bodyFault(`${kind}s`, `Value error, the site has no ${kind} ${name}`));
      return item?.update ? [stepOf(item, 'update')] : [];
    });
  const steps = [...versionSteps(site, wish), ...named('plugin', plugins), ...named('theme', themes)];
  if (faults.length > 0) throw invalid(...faults);
  return steps;
}
