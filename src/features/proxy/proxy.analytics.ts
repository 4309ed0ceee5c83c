import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, forbidden, invalid } from '#core/errors.ts';
import { onTeam } from '#core/policy.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { listSiteNames } from '#features/site/site.ts';
import { idsNamedIn } from '#integrations/analytics/plausible.ts';
import { ANALYTICS_ROOT, type ProxyRequest, readProxyRequest } from './proxy.rules.ts';
import { requireScopeFor, requireSite, roleFor } from './proxy.target.ts';

/** A request to the analytics server that names nothing but what is the caller's. */
export interface AnalyticsTarget {
  request: ProxyRequest;
  /** Where the answer is a list of sites: those that may be in it. */
  sites: string[] | undefined;
}

/** Every id that the request names must be one of the caller's: their sites, the ids of their teams, their own address. */
export async function findAnalyticsTarget(
  db: Db,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<AnalyticsTarget> {
  const request = readProxyRequest(input, ANALYTICS_ROOT);
  const ids = idsNamedIn(request);
  if (!ids) {
    const msg =
      'must be a path of the stats or sites API, with a site of yours as site_id or, for a list, your team_id';
    throw invalid(bodyFault('path', `Value error, ${msg}`));
  }
  // A team's analytics_team_id is its own id.
  const teams = [...ids.teams].map((id) => onTeam(caller, id, roleFor(request)));
  for (const name of ids.sites) {
    const { team_id } = await requireSite(db, caller, roleFor(request), name);
    if (teams.some((id) => id !== team_id)) throw siteNotFound();
  }
  requireScopeFor(caller, request);
  for (const email of ids.guests)
    if (email.toLowerCase() !== caller.email)
      throw forbidden({ message: 'As a guest of a site you can add yourself alone, by your analytics_user_id.' });
  if (!ids.listsSites) return { request, sites: undefined };
  return { request, sites: (await Promise.all(teams.map((id) => listSiteNames(db, id)))).flat() };
}
