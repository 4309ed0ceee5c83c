import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { invalid } from '#core/errors.ts';
import { eventDetail } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import {
  certificatesOf,
  deleteOwnCertificate,
  type ReadCertificate,
  setOwnCertificate,
} from '#features/certificate/certificate.ts';
import type { DomainRecord } from '#features/domain/domain.schema.ts';
import { domainNotVerified } from '#features/domain/domain.schema.ts';
import { answered, lookAtRecords } from '#features/domain/domain.ts';
import { requireIdle } from '#features/hold/hold.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { listRegions, type Region } from '#features/region/region.ts';
import { updateFailed } from '#features/site/site.schema.ts';
import { startWork } from '#features/site/site.ts';
import {
  checkName,
  claimFurtherName,
  isUnderSiteDomain,
  type NameClaim,
  readClaim,
  releaseName,
} from '#features/site-name/site-name.ts';
import {
  type CheckedSiteDomain,
  certificateNotFound,
  domainIsPrimary,
  domainNotFound,
  type NewSiteDomain,
  type SiteDomain,
} from './site-domain.schema.ts';
import { type DomainRow, findDomain, listDomains, noteLook, noteOwnName, setMode } from './site-domain.sql.ts';

/** The names of a site. One is primary, the others lead there or are served as well; none of this ever stops the site. */
export async function listSiteDomains(db: Db, services: Services, siteId: string): Promise<SiteDomain[]> {
  const rows = await listDomains(db, siteId);
  const certificates = await certificatesOf(
    db,
    services,
    rows.map(({ fqdn }) => fqdn),
  );
  const names = new Set(rows.map(({ fqdn }) => fqdn));
  return rows.map((row) => {
    const isUnder = isUnderSiteDomain(services.config, row.fqdn);
    const pair = isUnder ? undefined : pairOf(row.fqdn);
    // The records of the platform's own domain are the platform's; by the clock they are noted a moment later.
    const isVerified = isUnder || row.verified_at !== null;
    return {
      fqdn: row.fqdn,
      is_primary: row.is_primary,
      mode: row.mode,
      verified: isVerified,
      looked_at: row.looked_at,
      pair: pair === undefined || names.has(pair) ? null : pair,
      certificate: certificates(row.fqdn, { isVerified, isWanted: row.is_primary || !isUnder }),
      created_at: row.created_at,
    };
  });
}

/** With www where it has none and is short enough to be typed without, and without where it has it. */
function pairOf(fqdn: string): string | undefined {
  if (fqdn.startsWith('www.')) return fqdn.slice(4).includes('.') ? fqdn.slice(4) : undefined;
  return `www.${fqdn}`;
}

async function oneOf(db: Db, services: Services, siteId: string, fqdn: string): Promise<SiteDomain> {
  const found = (await listSiteDomains(db, services, siteId)).find((domain) => domain.fqdn === fqdn);
  if (!found) throw domainNotFound();
  return found;
}

export interface WantedName {
  fqdn: string;
  mode: DomainRow['mode'];
  claim: NameClaim;
}

/** Which names are wanted, what is wrong with them, and whose they are. */
export async function prepareDomains(
  db: Db,
  services: Services,
  site: SiteRow,
  { domain, mode = 'redirect', with_www }: NewSiteDomain,
): Promise<WantedName[]> {
  const cnames = (await listRegions(db)).map(({ cname }) => cname);
  const pair = with_www && !isUnderSiteDomain(services.config, domain) ? pairOf(domain) : undefined;
  const names = [{ fqdn: domain, mode }, ...(pair === undefined ? [] : [{ fqdn: pair, mode: 'redirect' as const }])];
  const faults = names.flatMap(({ fqdn }) => checkName(services.config, 'domain', fqdn, cnames));
  if (faults.length > 0) throw invalid(...faults);
  return Promise.all(
    names.map(async (name) => ({ ...name, claim: await readClaim(db, services, name.fqdn, site.team_id) })),
  );
}

/** A site that is busy may get names too: nothing of it is touched. */
export async function createSiteDomain(call: Call, named: SiteRow, wanted: readonly WantedName[]): Promise<SiteDomain> {
  const { db, services, caller } = call;
  const site = await lockNamedSite(db, named);
  for (const { fqdn, mode, claim } of wanted) {
    // The pair may be there already.
    if (fqdn !== wanted[0]?.fqdn && (await findDomain(db, site.id, fqdn))) continue;
    await claimFurtherName(call, site, fqdn, claim);
    await setMode(db, site.id, fqdn, mode);
    if (isUnderSiteDomain(services.config, fqdn)) await noteOwnName(db, fqdn);
    await recordSiteEvent(db, caller, site, {
      event_type: 'domain.added',
      activity: `${caller.fullName} added ${fqdn} to ${site.fqdn}`,
      detail: { domain: fqdn, mode },
    });
  }
  return oneOf(db, services, site.id, (wanted[0] as WantedName).fqdn);
}

/** Asks for the records as any visitor's machine would. Names of the platform have theirs from the platform. */
export async function lookAtDomain(db: Db, services: Services, site: SiteRow, fqdn: string): Promise<DomainRecord[]> {
  if (isUnderSiteDomain(services.config, fqdn)) return [];
  const region = (await listRegions(db)).find(({ id }) => id === site.region_id) as Region;
  return answered(() => lookAtRecords(services.dns, fqdn, region));
}

export async function verifySiteDomain(
  { db, services }: Call,
  site: SiteRow,
  fqdn: string,
  records: DomainRecord[],
): Promise<CheckedSiteDomain> {
  if (isUnderSiteDomain(services.config, fqdn)) await noteOwnName(db, fqdn);
  else
    await noteLook(
      db,
      { fqdn, site_id: site.id },
      records.every(({ ok }) => ok),
    );
  return { ...(await oneOf(db, services, site.id, fqdn)), records };
}

export async function updateSiteDomain(
  { db, services, caller }: Call,
  named: SiteRow,
  fqdn: string,
  mode: DomainRow['mode'],
): Promise<SiteDomain> {
  const site = await lockNamedSite(db, named);
  const row = await findDomain(db, site.id, fqdn);
  if (!row) throw domainNotFound();
  if (row.is_primary) throw domainIsPrimary();
  if (row.mode !== mode) {
    await setMode(db, site.id, fqdn, mode);
    const does = mode === 'serve' ? `shows ${site.fqdn}` : `leads to ${site.fqdn}`;
    await recordSiteEvent(db, caller, site, {
      event_type: 'domain.updated',
      activity: `${caller.fullName} changed ${fqdn}: it ${does}`,
      detail: { domain: fqdn, mode },
    });
  }
  return oneOf(db, services, site.id, fqdn);
}

/** A job rewrites the site's addresses; what was primary goes on as a redirect. */
export async function promoteSiteDomain(call: Call, named: SiteRow, fqdn: string): Promise<SiteDomain> {
  const { db, services } = call;
  const site = await lockNamedSite(db, named);
  const row = await findDomain(db, site.id, fqdn);
  if (!row) throw domainNotFound();
  if (!row.is_primary) {
    requireIdle(site);
    if (row.verified_at === null && !isUnderSiteDomain(services.config, fqdn)) throw domainNotVerified();
    await startWork(call, site, { new_fqdn: fqdn });
  }
  return oneOf(db, services, site.id, fqdn);
}

/** The domain as it is once the site has moved, or why it has not. */
export async function rereadSiteDomain(
  { db, services }: Call,
  site: SiteRow,
  { body, eventId }: { body: SiteDomain; eventId: string },
): Promise<SiteDomain> {
  const { failure } = await eventDetail(db, eventId);
  if (typeof failure === 'string') throw updateFailed({ message: failure });
  return oneOf(db, services, site.id, body.fqdn);
}

export async function deleteSiteDomain({ db, caller }: Call, named: SiteRow, fqdn: string): Promise<void> {
  const site = await lockNamedSite(db, named);
  const row = await findDomain(db, site.id, fqdn);
  if (!row) throw domainNotFound();
  if (row.is_primary) throw domainIsPrimary();
  // A rename may be on its way to this very name.
  requireIdle(site);
  await releaseName(db, fqdn, site.id, site.team_id);
  await recordSiteEvent(db, caller, site, {
    event_type: 'domain.removed',
    activity: `${caller.fullName} removed ${fqdn} from ${site.fqdn}`,
    detail: { domain: fqdn },
  });
}

/** The team's own certificate for a name, in place of one from the platform's authority. */
export async function setSiteCertificate(
  { db, services, caller }: Call,
  named: SiteRow,
  fqdn: string,
  certificate: ReadCertificate,
): Promise<SiteDomain> {
  const site = await lockNamedSite(db, named);
  if (!(await findDomain(db, site.id, fqdn))) throw domainNotFound();
  await setOwnCertificate(db, services, fqdn, certificate);
  await recordCertificate(db, caller, site, fqdn, `uploaded a certificate for ${fqdn}`);
  return oneOf(db, services, site.id, fqdn);
}

export async function deleteSiteCertificate({ db, services, caller }: Call, named: SiteRow, fqdn: string) {
  const site = await lockNamedSite(db, named);
  if (!(await deleteOwnCertificate(db, fqdn))) throw certificateNotFound();
  await recordCertificate(db, caller, site, fqdn, `removed the own certificate of ${fqdn}`);
  return oneOf(db, services, site.id, fqdn);
}

const recordCertificate = (db: Db, caller: Caller, site: SiteRow, fqdn: string, did: string) =>
  recordSiteEvent(db, caller, site, {
    event_type: 'domain.updated',
    activity: `${caller.fullName} ${did}`,
    detail: { domain: fqdn, certificate: 'own' },
  });
