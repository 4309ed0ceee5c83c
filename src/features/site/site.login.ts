import type { Call } from '#core/http/operation.ts';
import { requireIdle } from '#features/hold/hold.ts';
import { recordSiteEvent, type SiteRow, specOf } from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { createLoginUrl } from '#runtimes/wordpress/access.ts';
import type { SiteLogin } from './site.schema.ts';

/** A link into wp-admin that works once, for whoever could change the site anyway. */
export async function createSiteLogin({ db, services, caller }: Call, site: SiteRow): Promise<SiteLogin> {
  await lockWorkingTeam(db, site.team_id);
  requireIdle(site);
  const { url, expiresAt } = createLoginUrl(specOf(services, site));
  const activity = `${caller.fullName} signed in to WordPress on ${site.fqdn}`;
  await recordSiteEvent(db, caller, site, { event_type: 'site.signed_in', activity });
  return { url, expires_at: expiresAt };
}
