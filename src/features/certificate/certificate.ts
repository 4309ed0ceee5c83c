import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { ReadCertificate } from './certificate.rules.ts';
import type { CertificateState } from './certificate.schema.ts';
import {
  type CertificateRow,
  dropCertificate,
  insertCertificate,
  listCertificates,
  storeOwn,
} from './certificate.sql.ts';
import { wildcardOf } from './wildcards.ts';

/** The certificates of names: who gets one, from where, and what stands in the way. */
export { type ReadCertificate, readOwn } from './certificate.rules.ts';
export { countCertificates, worstCertificates } from './certificate.sql.ts';
export { CertificateShelf } from './certificate-shelf.ts';

/** A certificate of a team's own is replaced by one of ours before nobody could come any more. */
const BEFORE_END_MS = 3 * 86_400_000;

interface NameState {
  isVerified: boolean;
  /** Whether it is one that the platform gets a certificate for, once it leads here. */
  isWanted: boolean;
}

/** Tells the state of each of these names. */
export async function certificatesOf(
  db: Db,
  { config }: Services,
  names: readonly string[],
): Promise<(name: string, state: NameState) => CertificateState> {
  const wildcards = new Set(names.flatMap((name) => wildcardOf(config, name) ?? []));
  const found = await listCertificates(db, [...names, ...wildcards]);
  const rows = new Map(found.map((row) => [row.name, row]));
  return (name, state) => {
    const wildcard = wildcardOf(config, name);
    const shared = wildcard === undefined ? undefined : rows.get(wildcard);
    const row = rows.get(name);
    if (shared && !row?.has_chain) return sharedView(shared);
    if (row && (row.has_chain || (config.acme && state.isWanted))) return viewOf(row, state.isVerified);
    return { state: 'none', source: null, expires_at: null, next_try_at: null, reason: whyNone(config, state) };
  };
}

function viewOf(row: CertificateRow, isVerified: boolean): CertificateState {
  const reason = row.reason ?? (isVerified || row.has_chain ? null : UNVERIFIED);
  return {
    state: row.failures > 0 ? 'failing' : row.has_chain ? 'issued' : 'pending',
    source: row.source,
    reason,
    expires_at: row.not_after,
    next_try_at: row.next_try_at,
  };
}

/** What is wrong with it is the operator's to know. */
function sharedView(row: CertificateRow): CertificateState {
  return { ...viewOf(row, true), reason: row.failures > 0 ? SHARED_FAILS : null };
}

const SHARED_FAILS = 'The certificate for all sites of this platform could not be got yet; its operator can see why.';
const UNVERIFIED = 'Its DNS records do not lead here yet.';

function whyNone({ httpsPort, acme }: Services['config'], { isVerified, isWanted }: NameState): string | null {
  if (httpsPort === undefined) return 'The platform serves plain HTTP. TLS may come from a proxy in front of it.';
  if (!acme) return 'The platform gets no certificates by itself; upload one.';
  if (!isWanted) return 'Under the platform’s own domain only the primary name of a site gets one; upload one.';
  return isVerified ? 'It is asked for in a moment.' : UNVERIFIED;
}

export async function setOwnCertificate(
  db: Db,
  { secrets }: Services,
  name: string,
  { chain, key, notBefore, notAfter }: ReadCertificate,
): Promise<void> {
  const renewAt = new Date(notAfter.getTime() - BEFORE_END_MS);
  await insertCertificate(db, name);
  await storeOwn(db, name, {
    chain,
    key_sealed: secrets.seal(Buffer.from(key)),
    not_before: notBefore,
    not_after: notAfter,
    renew_at: renewAt,
    next_try_at: renewAt,
  });
}

/** False where there is none of the team's own. */
export async function deleteOwnCertificate(db: Db, name: string): Promise<boolean> {
  const [row] = await listCertificates(db, [name]);
  if (row?.source !== 'own' || !row.has_chain) return false;
  await dropCertificate(db, name);
  return true;
}
