import { type Caller, hasRoleOnSite, roleOnSite, seesSecrets } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { DnsFailed } from '#core/dns.ts';
import { invalid } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { findSite, type SiteRow } from '#features/instance/instance.ts';
import { listRegions, type Region } from '#features/region/region.ts';
import { dkimRecordOf } from '#features/site-mail/site-mail.ts';
import { claimRecord, isUnderSiteDomain } from '#features/site-name/site-name.ts';
import { lookAtRecords, lookAtSignature } from './domain.records.ts';
import { describeRecord, domainFault, requirePublicName } from './domain.rules.ts';
import {
  type DomainClaim,
  type DomainRecord,
  dnsFailed,
  dnsTimeout,
  domainNotVerified,
  type VerifiedDomain,
} from './domain.schema.ts';

export { lookAtRecords } from './domain.records.ts';

/** Asks for the records of a name as any visitor's machine would, and tells which of them are not right. */
export async function verifyDomain(db: Db, services: Services, caller: Caller, fqdn: string): Promise<VerifiedDomain> {
  const regions = await listRegions(db);
  const cnames = regions.map(({ cname }) => cname);
  requirePublicName(services.config, fqdn, cnames);
  const hosted = await findSite(db, fqdn);
  // Of a site that is another team's nobody says anything: the name is looked at as if it were hosted nowhere.
  const site = hosted && roleOnSite(caller, hosted) ? hosted : undefined;
  const region = regions.find(({ id }) => id === site?.region_id) ?? (regions[0] as Region);
  const records = await answered(() => look(services, fqdn, region, site));
  const shown = records.map((record) => withoutSecrets(record, caller, site));
  if (records.every(({ ok }) => ok)) return { verified: true, records: shown };
  throw domainNotVerified({
    faults: shown.filter(({ ok }) => !ok).map((record) => domainFault(describeRecord(record))),
    data: { verified: false, records: shown },
  });
}

async function look(
  services: Services,
  fqdn: string,
  region: Region,
  site: SiteRow | undefined,
): Promise<DomainRecord[]> {
  const { dns, config } = services;
  // Names under the platform's own domain have their records from the platform, and no customer can publish more.
  const dkim = site?.fqdn === fqdn && !isUnderSiteDomain(config, fqdn) ? dkimRecordOf(site) : undefined;
  const [records, signature] = await Promise.all([
    lookAtRecords(dns, fqdn, region),
    dkim && lookAtSignature(dns, fqdn, dkim),
  ]);
  return signature ? [...records, signature] : records;
}

/** The DKIM record is shown to whoever sees it in the site, too. */
function withoutSecrets(record: DomainRecord, caller: Caller, site: SiteRow | undefined): DomainRecord {
  if (record.type !== 'TXT' || !site) return record;
  return seesSecrets(caller) && hasRoleOnSite(caller, site, 'member') ? record : { ...record, expected: '' };
}

/** The record that proves a team's right to a name, and whether it is published. */
export async function getDomainClaim(services: Services, teamId: string, fqdn: string): Promise<DomainClaim> {
  if (isUnderSiteDomain(services.config, fqdn))
    throw invalid(domainFault('names under the platform’s own domain need no proof'));
  const record = claimRecord(services, teamId, fqdn);
  const found = await answered(() => services.dns.find('TXT', record.name));
  return { fqdn, team_id: teamId, ...record, seen: found.includes(record.value) };
}

/** Whose fault it is that there is no answer: never the caller's. */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DnsFailed)) throw error;
    throw error.isTimeout ? dnsTimeout() : dnsFailed();
  }
}
