import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import type { Found } from './site-software.read.ts';
import type { LastChange, Software } from './site-software.schema.ts';
import { findChangeEvent, findSoftware, putSoftware, type SoftwareRow } from './site-software.sql.ts';

const isNewer = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true }) > 0;

/** `7.1` of `7.1.2`: releases within it mend what is unsafe and change nothing else. */
const branchOf = (version: string) => version.split('.').slice(0, 2).join('.');

/** The newest WordPress that is kept, where the site has an older one. */
export function newerCore(versions: readonly string[], site: Pick<SiteRow, 'core_version'>): string | null {
  const [newest] = versions;
  return newest && site.core_version && isNewer(newest, site.core_version) ? newest : null;
}

/** The newest one of the site's own branch, where the site has an older one. */
export function securityUpdate(versions: readonly string[], { core_version }: Pick<SiteRow, 'core_version'>) {
  if (core_version === null) return null;
  return versions.find((each) => branchOf(each) === branchOf(core_version) && isNewer(each, core_version)) ?? null;
}

/**
 * Writes down what a site said of itself, with how much of it waits for an update. The database writes some of it to the row of the site, which whoever
 * locks that for more has locked before.
 */
export async function keepFound(db: Db, site: SiteRow, found: Found, coreVersions: readonly string[]): Promise<void> {
  const core = newerCore(coreVersions, site);
  const waiting = found.items.filter(({ update }) => update !== null).length + (core === null ? 0 : 1);
  await putSoftware(db, site.id, {
    checked_at: new Date(),
    found: JSON.stringify(found),
    updates_waiting: waiting,
    security_update: securityUpdate(coreVersions, site),
  });
}

/** As it is kept: nobody waits for the site. */
export async function viewSoftware(db: Db, services: Services, site: SiteRow): Promise<Software> {
  const row = await findSoftware(db, site.id);
  const found = row?.found as Found | null | undefined;
  const core_versions = await services.hosts.coreVersions(site);
  return {
    checked_at: row?.checked_at ?? null,
    core_version: site.core_version,
    core_versions,
    core_update: newerCore(core_versions, site),
    php_version: site.php_version,
    php_versions: await services.hosts.phpVersions(site),
    updates_waiting: row?.updates_waiting ?? 0,
    extensions: found?.items ?? [],
    health: found?.health ?? [],
    problem: found?.unreached ? `WordPress could not ask wordpress.org for newer versions: ${found.unreached}` : null,
    change: await lastChange(db, row),
  };
}

/** What the event of the last change says of it, until that is gone with its time. */
async function lastChange(db: Db, row: SoftwareRow | undefined): Promise<LastChange | null> {
  const event = row?.event_id ? await findChangeEvent(db, row.event_id) : undefined;
  if (!event) return null;
  const { detail } = event;
  const result = (detail.result ?? detail) as Partial<LastChange>;
  return {
    id: event.id,
    created_at: event.created_at,
    state: event.finished_at ? (result.state ?? 'failed') : 'running',
    step: event.finished_at ? null : ((detail.step as string | undefined) ?? null),
    changes: result.changes ?? [],
    checks: result.checks ?? [],
    php: result.php ?? [],
    failure: (detail.failure as string | undefined) ?? null,
    undo_point: result.undo_point ?? null,
  };
}
