import type { Services } from '#core/services.ts';
import type { CertificateState } from '#features/certificate/certificate.schema.ts';
import { FAILED_IN_A_ROW, type SiteRow } from '#features/instance/instance.ts';
import type { Team } from '#features/team/team.schema.ts';
import type { Reachability } from './site.schema.ts';

export interface KnownOfSite {
  row: SiteRow;
  team: Pick<Team, 'is_active' | 'is_expired' | 'name'>;
  isVerified: boolean;
  certificate: CertificateState;
}

type Found = Omit<Reachability, 'certificate'>;

/** What a visitor of a site meets, in the order in which they meet it: who has the site, its name, TLS, its doors, then the site itself. */
export function reachabilityOf({ config }: Pick<Services, 'config'>, known: KnownOfSite): Reachability {
  return { ...find(config, known), certificate: known.certificate };
}

function find(config: Services['config'], { row, team, isVerified, certificate }: KnownOfSite): Found {
  const state = (name: Found['state'], reason: string | null, since: Date | null = null) => ({
    state: name,
    reason,
    since,
  });
  if (!team.is_active) return state('stopped', `${team.name} is suspended, so visitors see a page that says so.`);
  if (team.is_expired) return state('stopped', `${team.name} is unpaid, so visitors see a page that says so.`);
  if (row.busy === 'creating') return state('busy', 'It is being created.');
  if (!isVerified) return state('dns_pending', `The DNS records of ${row.fqdn} do not lead here yet.`);
  if (isWithoutCertificate(config, certificate))
    return state('certificate_pending', certificate.reason ?? `The certificate of ${row.fqdn} is being got.`);
  if (row.cdn_firewall_enabled) return state('protected', firewallReason(row.cdn_firewall_allowed_ips.length));
  if (row.http_auth_enabled) return state('protected', 'Every visitor is asked for a user name and a password.');
  if ((row.failed_answers ?? 0) >= FAILED_IN_A_ROW)
    return state('failing', 'The last pages that visitors asked for ended with an error.', row.failing_since);
  if (row.is_sleeping) return state('asleep', 'The next visit wakes it, which takes a moment.');
  return state('live', null);
}

function firewallReason(addresses: number): string {
  return `The firewall lets in ${addresses === 1 ? 'one address' : `${addresses} addresses`} and nobody else.`;
}

/** Where the platform gets certificates, visitors come by TLS, and without one they do not. */
function isWithoutCertificate(
  { acme, httpsPort }: Services['config'],
  { state, expires_at }: CertificateState,
): boolean {
  if (!acme || httpsPort === undefined || state === 'issued') return false;
  return expires_at === null || expires_at.getTime() < Date.now();
}
