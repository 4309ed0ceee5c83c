import { createECDH, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PeerCertificate, SecureContextOptions } from 'node:tls';
import { siteHostParts } from '#core/cluster.ts';
import { der, sequence } from '#integrations/acme/der.ts';
import { makeCertificate, namesExtension, pem } from '#integrations/acme/x509.ts';

/** How a process shows the others that it is one of the platform, and which host it is. */
export interface WireIdentity {
  /** The first word on every connection. The pod of a site does not know it: there the certificate alone tells who asks. */
  token: string | undefined;
  /** For connections that leave the machine: both sides show a certificate of the platform's own authority. */
  tls: WireTls;
}

interface WireTls extends Pick<SecureContextOptions, 'minVersion'> {
  key: string;
  cert: string;
  /** The authority's certificate, not its key. */
  ca: string;
}

type Derive = (purpose: string) => string;

const AUTHORITY = 'Siteyard hosts of sites';
const DAY_MS = 86_400_000;
const YEARS_MS = 10 * 365 * DAY_MS;
const BASIC_CONSTRAINTS = '2.5.29.19';

/**
 * The authority's key comes from the platform's own, so every process makes the same one and none has to keep or send it. A process'
 * certificate is made at its start and is nowhere else; the platform makes those of pods, which do not have that key (docs/decisions/0071).
 * `derive` has to last over a change of the platform's key.
 */
export function wireIdentity(derive: Derive, name: string): WireIdentity & { token: string } {
  const issuer = { name: AUTHORITY, key: authorityKey(derive) };
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Clocks of machines differ, and a certificate ends with its process.
  const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + YEARS_MS) };
  const isAuthority = {
    id: BASIC_CONSTRAINTS,
    isCritical: true,
    value: sequence(der(0x01, Buffer.from([0xff]))),
  };
  const ca = makeCertificate({ subject: AUTHORITY, key: issuer.key, issuer, ...times, extensions: [isAuthority] });
  // The name in words has room for 64 characters, and nobody looks at it.
  const subject = name.slice(0, 64);
  const cert = makeCertificate({ subject, key, issuer, ...times, extensions: [namesExtension([name])] });
  return {
    token: derive('host of sites'),
    tls: {
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      cert: pem(cert),
      ca: pem(ca),
      minVersion: 'TLSv1.3',
    },
  };
}

/** An address may be another host's by now: only the one that was meant is spoken to. */
export function refuseOtherHost(wanted: string, { subjectaltname }: PeerCertificate): Error | undefined {
  return subjectaltname === `DNS:${wanted}` ? undefined : new Error(`${subjectaltname} answers instead of ${wanted}`);
}

/**
 * Who may ask anything of a host: the platform, and hosts that have its key. The pod of a site has a certificate of the same authority, and
 * whoever broke out of that site's PHP has it too: it answers for that one host, and asks nothing of any other.
 */
export function mayAskHosts({ subjectaltname }: Partial<PeerCertificate>): boolean {
  const name = nameIn(subjectaltname);
  return name !== undefined && siteHostParts(name) === undefined;
}

/** The one name in a certificate of ours; undefined where there is none, or more than that. */
export function nameIn(subjectaltname: string | undefined): string | undefined {
  return /^DNS:([a-z0-9.-]+)$/.exec(subjectaltname ?? '')?.[1];
}

/** One number in four thousand million is none that the curve has. */
function authorityKey(derive: Derive): KeyObject {
  const pair = createECDH('prime256v1');
  for (let turn = 0; ; turn++) {
    const secret = Buffer.from(derive(`authority of hosts ${turn}`), 'base64url');
    try {
      pair.setPrivateKey(secret);
    } catch {
      continue;
    }
    const point = pair.getPublicKey();
    const part = (bytes: Buffer) => bytes.toString('base64url');
    const [x, y] = [part(point.subarray(1, 33)), part(point.subarray(33))];
    return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d: part(secret), x, y }, format: 'jwk' });
  }
}
