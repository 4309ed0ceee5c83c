import { NOTICES, type Notice } from './notices.ts';
import type { Visit } from './visit.ts';

/** Whether the visitor may see anything of the site: undefined, or what they see in its place. */
export function refusalOf(visit: Visit): Notice | undefined {
  const { gate } = visit;
  const { state } = gate.route;
  if (state === 'suspended') return NOTICES.suspended;
  if (state === 'expired') return NOTICES.expired;
  const notice = gate.preview?.noticeFor(visit);
  if (notice) return notice;
  if (gate.hasFirewall && !gate.isForItself && !gate.admits(visit.clientAddress)) return NOTICES.firewall;
  if (!gate.asksForSignIn) return undefined;
  // A header that is not for this sign-in may be for WordPress.
  visit.isSignedInAtEdge = gate.acceptsSignIn(visit.headers.authorization);
  if (visit.isSignedInAtEdge || gate.isForItself || gate.pass?.isHeldBy(visit)) return undefined;
  return gate.pass?.grantedTo(visit) ?? signInOf(gate.route.fqdn);
}

function signInOf(fqdn: string): Notice {
  return { ...NOTICES.signIn, headers: { 'www-authenticate': `Basic realm="${fqdn}", charset="UTF-8"` } };
}
