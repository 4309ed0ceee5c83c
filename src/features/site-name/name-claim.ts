import { randomBytes } from 'node:crypto';
import type { Db } from '#core/db/database.ts';
import { DnsFailed } from '#core/dns.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { hold, siteBusy } from '#features/hold/hold.ts';
import { lockSite, recordSiteEvent, type SiteRow, updateSite } from '#features/instance/instance.ts';
import { leaveNameJob, mailNameLost } from './site-name.jobs.ts';
import { isUnderSiteDomain } from './site-name.rules.ts';
import { MAX_NAMES, nameHeld, nameTaken, tooManyNames } from './site-name.schema.ts';
import {
  claimName,
  countNames,
  dropName,
  findHolder,
  type NameHolder,
  nameIsHeld,
  siteHasName,
} from './site-name.sql.ts';

/**
 * Whose a domain is. It belongs to the team that has it here, until somebody else shows that they control its zone: a TXT
 * record made from their team and the name, which nobody else could know and which is stored nowhere. With it they may
 * have a name that another team let go of, and also one that another team uses. That team's site is not harmed: it goes
 * on under a name of the platform, and they are told. A team that publishes its own record keeps its domain.
 */
export interface NameClaim {
  /** Who else has or had the name; undefined where it is free. */
  holder: NameHolder | undefined;
  proof: 'none' | 'shown' | 'both';
}

const LABEL = '_siteyard-challenge';

/** The record that a team publishes to show that a domain is its own. It stays in zones of others, so no change of key changes it. */
export function claimRecord({ secrets }: Pick<Services, 'secrets'>, teamId: string, fqdn: string) {
  const value = `siteyard-claim=${secrets.deriveLasting(`domain claim ${teamId} ${fqdn}`)}`;
  return { type: 'TXT' as const, name: `${LABEL}.${fqdn}`, value };
}

/** Looks for proof where some is needed. Asks the outside, so it comes before the transaction. */
export async function readClaim(db: Db, services: Services, fqdn: string, teamId: string): Promise<NameClaim> {
  const isOwn = isUnderSiteDomain(services.config, fqdn);
  const holder = isOwn ? undefined : await findHolder(db, fqdn, teamId);
  if (!holder) return { holder: undefined, proof: 'none' };
  const published = await readPublished(services, fqdn);
  const shows = (team: string) => published.includes(claimRecord(services, team, fqdn).value);
  if (!shows(teamId)) return { holder, proof: 'none' };
  return { holder, proof: holder.site_id !== null && shows(holder.team_id) ? 'both' : 'shown' };
}

/** A resolver that fails has seen no proof; the caller is told of the record and can ask for it by itself. */
async function readPublished({ dns, log }: Services, fqdn: string): Promise<string[]> {
  try {
    return await dns.find('TXT', `${LABEL}.${fqdn}`);
  } catch (error) {
    if (!(error instanceof DnsFailed)) throw error;
    log.warn({ err: error, fqdn }, 'could not look for the proof of a domain');
    return [];
  }
}

/** Takes a proven name from the site that has it. That site gets another one, and a job moves it there. */
export async function takeProvenName(call: Call, fqdn: string, { holder, proof }: NameClaim): Promise<void> {
  if (!holder?.site_id || proof !== 'shown') return;
  const { db, services } = call;
  const site = await lockSite(db, holder.site_id);
  // It was let go of, or belongs to somebody else by now; whoever has it then is found as usual.
  if (site?.team_id !== holder.team_id) return;
  if (site.busy !== null) throw siteBusy({ message: 'The site that has this name is busy; try again shortly.' });
  if (site.fqdn !== fqdn) return takeFurtherName(call, fqdn, site);
  const fallback = fallbackName(fqdn, services.config.siteDomain);
  await dropName(db, fqdn, site.id);
  if (!(await claimName(db, fallback, site.id))) throw nameTaken();
  const eventId = await recordSiteEvent(
    db,
    null,
    { ...site, fqdn: fallback },
    {
      event_type: 'site.updated',
      activity: `${fqdn} was claimed by a team that proved it theirs; the site is now ${fallback}`,
      detail: { lost_fqdn: fqdn, new_fqdn: fallback },
      unfinished: true,
    },
  );
  const name = {
    fqdn: fallback,
    is_testing: true,
    domain_option: 'platform',
    is_ns_root: false,
    zone_looked_at: null,
    favicon_url: null,
  };
  await updateSite(db, site.id, name);
  await hold(db, [site.id], 'updating', eventId);
  await services.jobs.enqueue(db, leaveNameJob, { siteId: site.id, eventId }, site.id);
  await services.jobs.enqueue(db, mailNameLost, { teamId: site.team_id, lost: fqdn, fqdn: fallback });
}

/** One of several names, without which the site goes on as it is. */
async function takeFurtherName({ db, services }: Call, fqdn: string, site: SiteRow): Promise<void> {
  if (!(await siteHasName(db, fqdn, site.id))) return;
  await dropName(db, fqdn, site.id);
  await recordSiteEvent(db, null, site, {
    event_type: 'domain.removed',
    activity: `${fqdn} was claimed by a team that proved it theirs; it leads to ${site.fqdn} no longer`,
    detail: { domain: fqdn },
  });
  await services.jobs.enqueue(db, mailNameLost, { teamId: site.team_id, lost: fqdn, fqdn: site.fqdn });
}

/** Gives a site a further name, which nobody else has or had a short while ago. The site is locked. */
export async function claimFurtherName(call: Call, site: SiteRow, fqdn: string, claim: NameClaim): Promise<void> {
  const { db, services } = call;
  await takeProvenName(call, fqdn, claim);
  if (!(await claimName(db, fqdn, site.id))) {
    if (await siteHasName(db, fqdn, site.id)) throw nameTaken({ message: 'The site has this domain already.' });
    throw takenName(services, site.team_id, fqdn, claim);
  }
  await requireFreeName(db, services, fqdn, site.team_id, claim);
  if ((await countNames(db, site.id)) > MAX_NAMES) throw tooManyNames();
}

/** Readable, and not to be guessed by whoever would like to have it first. */
function fallbackName(fqdn: string, siteDomain: string): string {
  const readable = fqdn
    .replaceAll('.', '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `${readable}-${randomBytes(5).toString('hex')}.${siteDomain}`;
}

/** The refusal of a name that somebody has, with the way to get it where there is one. */
export function takenName(services: Services, teamId: string, fqdn: string, { holder, proof }: NameClaim) {
  if (!holder) return nameTaken();
  const claim = claimRecord(services, teamId, fqdn);
  const message =
    proof === 'both'
      ? 'The team that has this domain proves it theirs as well; remove its TXT record from the zone first.'
      : `Another team has this domain. If it is yours, publish the TXT record ${claim.name} and try again.`;
  return nameTaken({ message, data: { claim } });
}

/**
 * A domain that another team had a short while ago may still be theirs, with links and mail that lead there. Names under
 * the platform's own domain are free at once. To be asked by whoever has claimed the name.
 */
export async function requireFreeName(
  db: Db,
  services: Services,
  fqdn: string,
  teamId: string,
  { proof }: NameClaim,
): Promise<void> {
  if (proof !== 'none' || isUnderSiteDomain(services.config, fqdn)) return;
  if (await nameIsHeld(db, fqdn, teamId)) throw nameHeld({ data: { claim: claimRecord(services, teamId, fqdn) } });
}
