import { inTransaction } from '#core/db/database.ts';
import { AppError } from '#core/errors.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { findSiteById, lockSite, type SiteRow } from '#features/instance/instance.ts';
import { lockTeam, type TeamRow } from '#features/team/team.ts';
import type { Found } from './site-software.read.ts';
import { keyOf, leftToPeople } from './site-software.refused.ts';
import type { Step } from './site-software.schema.ts';
import { findSoftware, listTimezones, takeDueSites } from './site-software.sql.ts';
import { startChange, stepOf, versionSteps, wishOf } from './site-software.start.ts';
import { askSoftware } from './site-software.ts';
import { keepFound, newerCore, securityUpdate } from './site-software.view.ts';

/** So many sites begin each minute of the quiet hours: what goes wrong with all of them at once goes wrong with few. */
const AT_ONCE = 5;

/** The hours in which nobody is expected, by the clock of the team. */
const isQuietIn = (timeZone: string) => {
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(new Date()),
  );
  return hour >= 2 && hour <= 4;
};

export const planSoftware = jobKind<Record<string, never>>({
  name: 'software.plan',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    await inTransaction(services.db, async (tx) => {
      const quiet = (await listTimezones(tx)).filter(isQuietIn);
      for (const siteId of await takeDueSites(tx, quiet, AT_ONCE))
        await services.jobs.enqueueOnce(tx, lookAtSoftware, { siteId }, siteId);
    });
  },
});

/** Asks a site what it runs, and updates what its team lets be updated by itself. */
export const lookAtSoftware = jobKind<{ siteId: string }>({
  name: 'software.look',
  lane: 'upkeep',
  async run({ siteId }, { services, commit }) {
    const site = await findSiteById(services.db, siteId);
    if (!site || site.busy !== null) return;
    const asked = await askSoftware(services, site).catch((error: unknown) => {
      // The site's own failing, and its next turn comes by itself.
      if (!(error instanceof AppError)) throw error;
      services.log.info({ err: error, siteId }, 'a site could not be asked what it runs');
    });
    if (!asked) return;
    const { errors: _none, ...found } = asked;
    const versions = await services.hosts.coreVersions(site);
    await commit(async (tx) => {
      const team = await lockTeam(tx, site.team_id);
      const now = await lockSite(tx, siteId);
      await keepFound(tx, now ?? site, found, versions);
      if (!team?.is_active || team.is_expired || !now || now.busy !== null) return;
      const steps = dueSteps(team, now, found, versions, leftToPeople(await findSoftware(tx, siteId)));
      if (steps.length > 0) await startChange(tx, services, now, null, steps, steps.map(wishOf));
    });
  },
});

type Policy = Pick<TeamRow, 'update_policy' | 'update_plugins'>;

/** What a team lets be updated by itself, but for the versions that are left to people. */
export function dueSteps(
  { update_policy, update_plugins }: Policy,
  site: SiteRow,
  found: Found,
  coreVersions: readonly string[],
  left: Readonly<Record<string, string>>,
): Step[] {
  if (update_policy === 'off') return [];
  const isAll = update_policy === 'all';
  const core = isAll ? newerCore(coreVersions, site) : securityUpdate(coreVersions, site);
  const items = found.items.filter(
    ({ kind, name, update }) => update !== null && (isAll || (kind === 'plugin' && update_plugins.includes(name))),
  );
  const steps = [
    ...(core === null ? [] : versionSteps(site, { core_version: core })),
    ...items.map((item) => stepOf(item, 'update')),
  ];
  return steps.filter((step) => left[keyOf(step)] !== step.to);
}
