import { DnsFailed } from '#core/dns.ts';
import { isWithin, registrableDomain } from '#core/host-name.ts';
import type { Services } from '#core/services.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { claimRecord, isOfPlatformDomain, isUnderSiteDomain } from '#features/site-name/site-name.ts';
import { dkimKeyOf, dkimName } from './dkim.ts';
import { type MailOwner, senderOf } from './sender.ts';

/** Names above a site's own that are asked for proof. */
const MAX_NAMES = 5;

/** For which domain the mail is signed; undefined where none is the site's. */
export type SigningOwner = MailOwner & { signsFor: string | undefined };

/**
 * Whom a site may write as. A name of the platform's it has from us. Any other name can be given to a site by whoever likes to, so its zone has
 * to say that it is theirs: with the TXT record of the team's claim, or with the site's DKIM key. What proves a domain proves the names below
 * it. A site without any of that writes from an address of the platform, and answers go where it wanted them.
 */
export async function mailOwnerOf(services: Services, site: SiteRow): Promise<SigningOwner> {
  const { config } = services;
  const { fqdn } = site;
  if (isUnderSiteDomain(config, fqdn)) return { sender: senderOf(fqdn), domains: [fqdn], signsFor: fqdn };
  const names = namesUpwards(fqdn).filter((name) => !isOfPlatformDomain(config, name));
  const proofs = await Promise.all(names.map((name) => proofOf(services, site, name)));
  const domains = names.slice(0, proofs.findLastIndex((proof) => proof !== undefined) + 1);
  if (domains.length === 0) return { sender: platformSender(config.siteDomain, site.id), domains, signsFor: undefined };
  return { sender: senderOf(fqdn), domains, signsFor: names[proofs.indexOf('key')] ?? fqdn };
}

/** Nobody has a site of that name, so nobody reads or writes as it but the platform. */
const platformSender = (siteDomain: string, siteId: string) => `site-${siteId.replaceAll('-', '')}@${siteDomain}`;

/** The name and those above it, as far as somebody can own them. */
function namesUpwards(fqdn: string): string[] {
  const labels = fqdn.split('.');
  const top = registrableDomain(fqdn) ?? fqdn;
  const names = labels.map((_, at) => labels.slice(at).join('.')).filter((name) => isWithin(name, top));
  return [fqdn, ...names.slice(1).slice(-MAX_NAMES)];
}

async function proofOf(services: Services, site: SiteRow, name: string): Promise<'key' | 'claim' | undefined> {
  const claim = claimRecord(services, site.team_id, name);
  const [keys, claims] = await Promise.all([findTexts(services, dkimName(name)), findTexts(services, claim.name)]);
  if (site.dkim_public_key && keys.some((text) => dkimKeyOf(text) === site.dkim_public_key)) return 'key';
  return claims.includes(claim.value) ? 'claim' : undefined;
}

/** Where nobody can tell, there is no proof, and the mail goes out all the same. */
async function findTexts({ dns, log }: Services, name: string): Promise<string[]> {
  try {
    return await dns.find('TXT', name);
  } catch (error) {
    if (!(error instanceof DnsFailed)) throw error;
    log.info({ err: error, name }, 'could not look for the proof of a sender');
    return [];
  }
}
