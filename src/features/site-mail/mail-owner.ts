import { type Dns, DnsFailed } from '#core/dns.ts';
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

type Proof = 'key' | 'claim';

/** Where the resolver fails, what a zone said within a day still stands: one bad moment must not change the sender of a shop. */
const REMEMBERED_MS = 24 * 3600 * 1000;
const MAX_REMEMBERED = 10_000;
const remembered = new WeakMap<Dns, Map<string, { proof: Proof; untilMs: number }>>();

async function proofOf(services: Services, site: SiteRow, name: string): Promise<Proof | undefined> {
  const claim = claimRecord(services, site.team_id, name);
  const [keys, claims] = await Promise.all([findTexts(services, dkimName(name)), findTexts(services, claim.name)]);
  const known = remembered.get(services.dns) ?? new Map();
  remembered.set(services.dns, known);
  const subject = `${name} ${claim.value} ${site.dkim_public_key}`;
  const isKey = site.dkim_public_key && keys?.some((text) => dkimKeyOf(text) === site.dkim_public_key);
  const seen = isKey ? 'key' : claims?.includes(claim.value) ? 'claim' : undefined;
  const last = known.get(subject);
  if (!seen && !(keys && claims)) return last && last.untilMs > Date.now() ? last.proof : undefined;
  known.delete(subject);
  if (!seen) return undefined;
  // A key that could not be asked for may be there still.
  const proof = keys ? seen : (last?.proof ?? seen);
  known.set(subject, { proof, untilMs: Date.now() + REMEMBERED_MS });
  for (const oldest of known.keys()) if (known.size > MAX_REMEMBERED) known.delete(oldest);
  return proof;
}

/** Undefined where nobody can tell; the mail goes out all the same. */
async function findTexts({ dns, log }: Services, name: string): Promise<string[] | undefined> {
  try {
    return await dns.find('TXT', name);
  } catch (error) {
    if (!(error instanceof DnsFailed)) throw error;
    log.info({ err: error, name }, 'could not look for the proof of a sender');
    return undefined;
  }
}
