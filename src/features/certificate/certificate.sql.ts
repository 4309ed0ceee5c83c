import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

export interface CertificateRow {
  name: string;
  source: 'acme' | 'own';
  has_chain: boolean;
  not_after: Date | null;
  next_try_at: Date;
  failures: number;
  reason: string | null;
}

export async function listCertificates(db: Db, names: readonly string[]): Promise<CertificateRow[]> {
  const { rows } = await sql<CertificateRow>`
    select name, source, chain is not null as has_chain, not_after, next_try_at, failures, reason
    from certificates where name = any(${names}::text[])`.execute(db);
  return rows;
}

export async function listCertifiedNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from certificates where chain is not null`.execute(db);
  return rows.map(({ name }) => name);
}

export interface KeptCertificate {
  chain: string;
  key_sealed: Buffer;
}

export async function findCertificate(db: Db, name: string): Promise<KeptCertificate | undefined> {
  const { rows } = await sql<KeptCertificate>`
    select chain, key_sealed from certificates where name = ${name} and chain is not null`.execute(db);
  return rows[0];
}

export interface WantedNames {
  /** The platform's own, wildcards included. */
  own: readonly string[];
  /** Domains with one certificate for all names right under them. */
  wildcards: readonly string[];
  /** Domains whose names are the platform's to give, with the dot in front. */
  given: readonly string[];
  /** Those of them that the authority may know. */
  known: readonly string[];
}

const isUnder = (domains: readonly string[]) =>
  sql`exists (select from unnest(${domains}::text[]) as d where n.fqdn like '%' || d)`;

/** Names that are ours and lead here: who has not shown that could make us fail at them, which counts against the platform. */
const namesOfSites = ({ given, known }: WantedNames, mayBeFurther = sql`false`) => sql`
  site_names n join sites s on s.id = n.site_id
  where s.kind in ('live', 'stage') and s.busy is distinct from 'creating'
    and case when ${isUnder(given)} then ${isUnder(known)} and (n.fqdn = s.fqdn or ${mayBeFurther}) else n.verified_at is not null end`;

/**
 * Every name that is ours and leads here gets a row. Copies that last half an hour do not, nor do further names of a site under the platform's own
 * domain: an authority gives out so many a week for it.
 */
export async function insertWanted(db: Db, wanted: WantedNames): Promise<void> {
  await sql`
    insert into certificates (name)
    select name from (
      select unnest(${wanted.own}::text[]) as name
      union select n.fqdn from ${namesOfSites(wanted)} and domain_above(n.fqdn) <> all(${wanted.wildcards}::text[])
    ) wanted where not exists (select from certificates c where c.name = wanted.name)
    on conflict (name) do nothing`.execute(db);
}

/**
 * Once there is a certificate for all names of a domain, those that single names had before go, for nobody renews them: whoever has one of their own is
 * served with that. One of the team's own goes when it ends soon.
 */
export async function deleteCovered(db: Db, { wildcards }: WantedNames): Promise<void> {
  if (wildcards.length === 0) return;
  await sql`
    delete from certificates c using certificates w
    where domain_above(c.name) = any(${wildcards}::text[]) and c.name not like '*.%' and (c.source = 'acme' or c.renew_at <= now())
      and w.name = '*.' || domain_above(c.name) and w.chain is not null`.execute(db);
}

export interface DueCertificate {
  name: string;
  chain: string | null;
  renew_at: Date | null;
  source: 'acme' | 'own';
  failures: number;
  is_renewal_due: boolean;
  /** Until then, unless somebody else changes it: whoever finds another moment there writes nothing. */
  taken_until: Date;
}

/** What an authority gives to the whole platform (Let's Encrypt: 300 orders in three hours) no team may use up. */
const ORDERS_OF_TEAM = 100;
const ORDERS_HOURS = 3;

/**
 * Takes what is due, for some minutes: then whoever took it is gone, and somebody else does. Teams in turns, and none beyond its share of orders, which
 * a name that goes does not give back. A name that no longer leads here is left alone; one that was primary before keeps what it has.
 */
export async function takeDue(db: Db, limit: number, wanted: WantedNames): Promise<DueCertificate[]> {
  const hasOne = sql`c.source = 'acme' and c.chain is not null`;
  const isDue = sql`c.next_try_at <= now() and (c.taken_until is null or c.taken_until < now())`;
  const { rows } = await sql<DueCertificate>`
    with due as (
      select c.name, of_site.team_id, row_number() over (partition by of_site.team_id order by c.next_try_at) as turn
      from certificates c left join (select n.fqdn, s.team_id from site_names n join sites s on s.id = n.site_id) of_site on of_site.fqdn = c.name
      where ${isDue} and (c.name = any(${wanted.own}::text[]) or exists (select from ${namesOfSites(wanted, hasOne)} and n.fqdn = c.name))
    ), chosen as materialized (
      select c.name, due.team_id from due join certificates c on c.name = due.name
      where ${isDue} and (due.team_id is null or due.turn + (select count(*) from certificate_orders o
        where o.team_id = due.team_id and o.ordered_at between now() - make_interval(hours => ${ORDERS_HOURS}) and now()) <= ${ORDERS_OF_TEAM})
      order by due.turn, c.next_try_at limit ${limit} for update of c skip locked
    ), taken as (
      update certificates c set taken_until = now() + interval '5 minutes' from chosen where c.name = chosen.name
      returning c.name, c.chain, c.renew_at, c.source, c.failures, c.taken_until, c.renew_at is null or c.renew_at <= now() as is_renewal_due
    ), noted as (
      insert into certificate_orders (team_id) select chosen.team_id from taken join chosen using (name)
      where taken.is_renewal_due and chosen.team_id is not null
    ) select * from taken`.execute(db);
  return rows;
}

/** Those of a clock that was ahead, too: they would count for as long as it was. */
export async function forgetOrders(db: Db): Promise<void> {
  await sql`delete from certificate_orders where ordered_at not between now() - make_interval(hours => ${ORDERS_HOURS}) and now()`.execute(
    db,
  );
}

export async function millisecondsUntilDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, extract(epoch from min(greatest(next_try_at, coalesce(taken_until, next_try_at))) - now()) * 1000)::float8 as ms
    from certificates`.execute(db);
  return rows[0]?.ms ?? undefined;
}

export interface NewCertificate {
  chain: string;
  key_sealed: Buffer;
  not_before: Date;
  not_after: Date;
  renew_at: Date;
  next_try_at: Date;
}

/** Which row, and as whose: what was changed since it was taken is somebody else's. */
type Taken = Pick<DueCertificate, 'name' | 'taken_until'>;

const isStill = ({ name, taken_until }: Taken) => sql<boolean>`name = ${name} and taken_until = ${taken_until}`;

const CLEARED = { taken_until: null, failures: 0, reason: null };

export async function storeObtained(db: Db, taken: Taken, certificate: NewCertificate): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ ...certificate, ...CLEARED, source: 'acme' })
    .where(isStill(taken))
    .execute();
}

export async function storeOwn(db: Db, name: string, certificate: NewCertificate): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ ...certificate, ...CLEARED, source: 'own' })
    .where('name', '=', name)
    .execute();
}

export async function insertCertificate(db: Db, name: string): Promise<void> {
  await sql`insert into certificates (name) values (${name}) on conflict (name) do nothing`.execute(db);
}

/** The team's own one goes, and one is got in its place. */
export async function dropCertificate(db: Db, name: string): Promise<void> {
  await sql`update certificates set source = 'acme', chain = null, key_sealed = null, not_before = null, not_after = null, renew_at = null,
    next_try_at = now(), taken_until = null, failures = 0, reason = null where name = ${name}`.execute(db);
}

export async function noteFailure(db: Db, taken: Taken, reason: string, pauseMs: number): Promise<void> {
  await sql`update certificates set taken_until = null, failures = failures + 1, reason = ${reason},
    next_try_at = now() + make_interval(secs => ${pauseMs / 1000}) where ${isStill(taken)}`.execute(db);
}

/** What the authority would not give now it would not give to the neighbours of the name either. */
export async function postponeNeighbours(db: Db, domain: string, pauseMs: number, spreadMs: number): Promise<void> {
  await sql`update certificates set next_try_at = now() + make_interval(secs => (${pauseMs} + random() * ${spreadMs}) / 1000)
    where (name = ${domain} or name like '%.' || ${domain}) and next_try_at < now() + make_interval(secs => ${pauseMs / 1000})
      and (taken_until is null or taken_until < now())`.execute(db);
}

export interface CertificateCounts {
  issued: number;
  failing: number;
  /** Issued, and good for less than ten days. */
  expiring: number;
}

export async function countCertificates(db: Db): Promise<CertificateCounts> {
  const { rows } = await sql<CertificateCounts>`
    select (select count(*)::int from certificates where not_after is not null) as issued,
      (select count(*)::int from certificates where failures > 0) as failing,
      (select count(*)::int from certificates where not_after < now() + interval '10 days') as expiring`.execute(db);
  return rows[0] as CertificateCounts;
}

/** Seconds until the first issued certificate expires; null if there is none. */
export async function secondsUntilExpiry(db: Db): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from min(not_after) - now())::float as seconds from certificates where not_after is not null`.execute(
    db,
  );
  return rows[0]?.seconds ?? null;
}

/** Those that fail, the most often tried first, then those that end soon. */
export async function worstCertificates(db: Db, limit: number): Promise<CertificateRow[]> {
  const columns = sql`name, source, chain is not null as has_chain, not_after, next_try_at, failures, reason`;
  const { rows } = await sql<CertificateRow>`
    (select ${columns} from certificates where failures > 0 order by failures desc limit ${limit})
    union all
    (select ${columns} from certificates where not_after < now() + interval '10 days' and failures = 0 order by not_after limit ${limit})
    limit ${limit}`.execute(db);
  return rows;
}

/** When to ask, or to renew, next. */
export async function noteRenewal(db: Db, taken: Taken, renewAt: Date, nextTryAt: Date): Promise<void> {
  await sql`update certificates set taken_until = null, renew_at = ${renewAt}, next_try_at = ${nextTryAt} where ${isStill(taken)}`.execute(
    db,
  );
}

/** Whoever comes first makes the account's key. */
export async function findAccountKey(db: Db, directory: string, fresh: () => Buffer): Promise<Buffer> {
  const find = () =>
    sql<{ key_sealed: Buffer }>`select key_sealed from acme_accounts where directory = ${directory}`.execute(db);
  const known = (await find()).rows[0];
  if (known) return known.key_sealed;
  await sql`insert into acme_accounts (directory, key_sealed) values (${directory}, ${fresh()})
    on conflict (directory) do nothing`.execute(db);
  return ((await find()).rows[0] as { key_sealed: Buffer }).key_sealed;
}

export interface ChallengeRow {
  token: string;
  name: string;
  type: string;
  key_authorization: string;
}

export async function insertChallenge(db: Db, row: ChallengeRow): Promise<void> {
  await sql`insert into acme_challenges (token, name, type, key_authorization)
    values (${row.token}, ${row.name}, ${row.type}, ${row.key_authorization})
    on conflict (token) do update set key_authorization = excluded.key_authorization`.execute(db);
}

export async function deleteChallenge(db: Db, token: string): Promise<void> {
  await sql`delete from acme_challenges where token = ${token}`.execute(db);
}

/** Those that an authority may ask for now, the newest first. */
export async function listChallenges(db: Db): Promise<ChallengeRow[]> {
  const { rows } = await sql<ChallengeRow>`
    select token, name, type, key_authorization from acme_challenges order by expires_at desc limit 1000`.execute(db);
  return rows;
}

export async function forgetChallenges(db: Db): Promise<void> {
  await sql`delete from acme_challenges where expires_at < now()`.execute(db);
}
