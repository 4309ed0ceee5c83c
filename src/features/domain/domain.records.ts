import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Dns, RecordType } from '#core/dns.ts';
import { registrableDomain } from '#core/host-name.ts';
import type { Region } from '#features/region/region.ts';
import { dkimKeyOf, dkimName } from '#features/site-mail/site-mail.ts';
import type { DomainRecord } from './domain.schema.ts';

const MAX_CHAIN = 8;
const MAX_ZONES = 6;

/** Whether the zone of a name is served by the region's own name servers. */
export async function isServedByUs(dns: Dns, fqdn: string, region: Region): Promise<boolean> {
  return isOurs(await findZone(dns, fqdn), region);
}

function isOurs(zone: Zone | undefined, { name_servers }: Region): boolean {
  const ours = name_servers.map((name) => name.toLowerCase());
  return zone?.nameServers.every((name) => ours.includes(name)) ?? false;
}

/**
 * What the records of a name say, and what they would have to say for visitors to reach the region. A zone whose name
 * servers are the region's is right by that alone: what it answers is ours. Otherwise every address of the name must be the
 * region's, directly or through an alias; one that leads elsewhere takes some of the visitors along.
 */
export async function lookAtRecords(dns: Dns, fqdn: string, region: Region): Promise<DomainRecord[]> {
  const zone = await findZone(dns, fqdn);
  if (zone && isOurs(zone, region)) {
    const expected = region.name_servers.join(', ').toLowerCase();
    return [{ type: 'NS', name: zone.name, expected, found: zone.nameServers, ok: true }];
  }
  const [chain, v4, v6] = await Promise.all([followAliases(dns, fqdn), dns.find('A', fqdn), dns.find('AAAA', fqdn)]);
  const isV6 = isIPv6(region.ip);
  const ip = isV6 ? ipaddr.parse(region.ip).toString() : region.ip;
  const [own, other] = isV6 ? [v6, v4] : [v4, v6];
  const leadsHere = own.length > 0 && own.every((address) => address === ip) && other.length === 0;
  if (chain.length > 0) {
    const ok = chain.includes(region.cname) || leadsHere;
    return [{ type: 'CNAME', name: fqdn, expected: region.cname, found: chain, ok }];
  }
  // The top of a zone can not be an alias; any other name had better be one, since then it follows the region.
  const isTop = zone?.name === fqdn || registrableDomain(fqdn) === fqdn;
  if (v4.length === 0 && v6.length === 0 && !isTop)
    return [{ type: 'CNAME', name: fqdn, expected: region.cname, found: [], ok: false }];
  const [ownType, otherType]: RecordType[] = isV6 ? ['AAAA', 'A'] : ['A', 'AAAA'];
  const isRight = own.length > 0 && own.every((address) => address === ip);
  const records: DomainRecord[] = [{ type: ownType as 'A', name: fqdn, expected: ip, found: own, ok: isRight }];
  if (other.length > 0) records.push({ type: otherType as 'AAAA', name: fqdn, expected: '', found: other, ok: false });
  return records;
}

interface Zone {
  name: string;
  nameServers: string[];
}

/** The nearest name upwards that has name servers of its own. A top-level domain is nobody's zone. */
async function findZone(dns: Dns, fqdn: string): Promise<Zone | undefined> {
  const labels = fqdn.split('.');
  const names = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  const zones = await Promise.all(
    names.slice(-MAX_ZONES).map(async (name) => ({ name, nameServers: await dns.find('NS', name) })),
  );
  return zones.find(({ nameServers }) => nameServers.length > 0);
}

/** Every name that the alias leads to, in order. One that leads in circles ends after a few. */
async function followAliases(dns: Dns, fqdn: string): Promise<string[]> {
  const chain: string[] = [];
  for (let name = fqdn; chain.length < MAX_CHAIN; ) {
    const next = (await dns.find('CNAME', name))[0];
    if (next === undefined || chain.includes(next)) break;
    chain.push(next);
    name = next;
  }
  return chain;
}

/** The key is what counts. */
async function lookAtDkim(dns: Dns, name: string, expected: string): Promise<DomainRecord> {
  const found = await dns.find('TXT', name);
  const key = dkimKeyOf(expected);
  return { type: 'TXT', name, expected, found, ok: found.some((text) => dkimKeyOf(text) === key) };
}

/** It is wanted where it proves most; under the site's own name it is good too. */
export async function lookAtSignature(
  dns: Dns,
  fqdn: string,
  dkim: { name: string; value: string },
): Promise<DomainRecord> {
  const names = new Set([dkim.name, dkimName(fqdn)]);
  const [wanted, own] = await Promise.all([...names].map((name) => lookAtDkim(dns, name, dkim.value)));
  return own?.ok && !wanted?.ok ? own : (wanted as DomainRecord);
}
