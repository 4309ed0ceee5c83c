import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { type Caller, hasRole, isAtLeast, type Role } from '#core/auth/caller.ts';
import type { Db, Tx } from '#core/db/database.ts';
import { LockBusy, type Locks } from '#core/db/locks.ts';
import { AppError, invalid } from '#core/errors.ts';
import type { Secrets } from '#core/secrets.ts';
import { errorBody } from './answers.ts';
import { answerNotKept, outcomeUnknown, rightsLost, sessionEnded, stillRunning } from './failures.ts';

/**
 * A POST with an Idempotency-Key has its effect once. The answer is stored in the transaction of the effect itself, so
 * after a kill at any instant either both are there or neither is, and a retry does the right thing.
 */
export interface KeyedRequest {
  caller: string;
  key: string;
  /** Of the request, with the platform's key of today and then with those before it. */
  hashes: Buffer[];
  /** Undefined where nobody is signed in. */
  by: Caller | undefined;
  /** True once this very request has written down that it sends something elsewhere. */
  hasBegun?: true;
}

export interface Answer {
  status: number;
  /** Cookies are a list, since each is a header of its own. */
  headers: Record<string, string | string[]>;
  body: unknown;
  /** The session that it gives, where it gives one. */
  sessionId?: string | undefined;
  replayed: boolean;
}

const MAX_KEY_LENGTH = 255;
/** From here on an answer counts as large, and this much of such a caller's is kept: what a proxy answers is up to somebody else. */
const LARGE_BYTES = 100_000;
const KEPT_BYTES = 50_000_000;

export function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = Array.isArray(header) ? header.join(',') : header;
  if (key.length > 0 && key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key;
  const msg = `Value error, must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`;
  throw invalid({ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' });
}

/** Keyed, because a body can hold a password: whoever reads the table must not be able to try passwords against it. */
export function hashRequest(secrets: Secrets, method: string, url: string, body: Buffer): Buffer[] {
  return secrets
    .deriveAll('request hash')
    .map((key) => createHmac('sha256', key).update(`${method} ${url}\n`).update(body).digest());
}

/**
 * For work that does something outside before its transaction begins: whoever comes with the same key meanwhile must not
 * get as far as that.
 */
export async function aloneWithKey<T>(locks: Locks, { caller, key }: KeyedRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await locks.alone(`answer for ${caller} ${key}`, 0, work);
  } catch (error) {
    throw error instanceof LockBusy ? stillRunning() : error;
  }
}

/**
 * Sends something elsewhere, where no transaction of ours reaches. That it begins is written down before, so that after a
 * kill a retry learns that nobody knows the end, instead of sending it a second time.
 */
export async function sendOnce<T>(db: Db, secrets: Secrets, request: KeyedRequest, send: () => Promise<T>): Promise<T> {
  await keep(db, secrets, request, { status: null, headers: {}, body: null });
  request.hasBegun = true;
  try {
    return await send();
  } catch (error) {
    if (error instanceof AppError && !error.mayHaveHappened) await forget(db, request);
    throw error;
  }
}

export async function answerOnce(
  tx: Tx,
  secrets: Secrets,
  request: KeyedRequest,
  work: () => Promise<Omit<Answer, 'replayed'>>,
): Promise<Answer> {
  const lock = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${request.caller} ${request.key}`}, 0)) as locked`.execute(tx);
  if (!lock.rows[0]?.locked) throw stillRunning();

  const kept = await findAnswer(tx, secrets, request);
  if (kept) return kept;
  const answer = await workOrRefuse(tx, work);
  await keep(tx, secrets, request, answer);
  return { ...answer, replayed: false };
}

/** The answer that was kept; undefined when the request is the first with its key. */
export async function findAnswer(db: Db, secrets: Secrets, request: KeyedRequest): Promise<Answer | undefined> {
  const kept = await find(db, request);
  if (!kept || (kept.status === null && request.hasBegun)) return undefined;
  if (!request.hashes.some((hash) => kept.request_hash.equals(hash))) {
    const msg = 'Value error, this key was used with another request';
    throw invalid({ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' });
  }
  if (kept.status === null) throw outcomeUnknown();
  // Each operation's policy was asked before, but what it can not see (whose password a host's name stood for) it can not check.
  for (const [id, role] of Object.entries(kept.roles))
    if (!request.by || !hasKept(request.by, id, role)) throw rightsLost();
  if (kept.session_ended) throw sessionEnded();
  const opened: unknown = JSON.parse(secrets.open(kept.body_sealed).toString('utf8'));
  const { headers, body } = kept.headers ? { headers: kept.headers, body: opened } : (opened as SealedAnswer);
  return { status: kept.status, headers, body, replayed: true };
}

/** A role is kept under the id of its team, or of its site for whoever is limited to some. */
function hasKept(by: Caller, id: string, role: Role): boolean {
  return hasRole(by, id, role) || isAtLeast(by.siteRoles.get(id)?.role, role);
}

/**
 * A refusal (say, a plan's limit) is an answer too; what the work did before it refused is taken back. One that only asks to
 * wait is none: the same key is welcome later.
 */
async function workOrRefuse(tx: Tx, work: () => Promise<Omit<Answer, 'replayed'>>): Promise<Omit<Answer, 'replayed'>> {
  await sql`savepoint before_work`.execute(tx);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
    await sql`rollback to savepoint before_work`.execute(tx);
    return { status: error.status, headers: { ...error.headers }, body: errorBody(error) };
  }
}

interface KeptAnswer {
  request_hash: Buffer;
  /** Null while nobody knows how the request ended. */
  status: number | null;
  /** Of answers that were kept before headers were sealed too; then the body is sealed alone. */
  headers: Record<string, string> | null;
  body_sealed: Buffer;
  roles: Record<string, Role>;
  session_ended: boolean;
}

/** Sealed as a whole: a header can be a cookie. */
type SealedAnswer = Pick<Answer, 'headers' | 'body'>;

async function find(tx: Db, { caller, key }: KeyedRequest): Promise<KeptAnswer | undefined> {
  const { rows } = await sql<KeptAnswer>`
    select request_hash, status, headers, body_sealed, roles,
      session_id is not null and not exists (select from credentials where id = session_id) as session_ended
    from idempotent_answers where caller = ${caller} and key = ${key} and created_at > now() - interval '24 hours'`.execute(
    tx,
  );
  return rows[0];
}

async function forget(db: Db, { caller, key }: KeyedRequest): Promise<void> {
  await sql`delete from idempotent_answers where caller = ${caller} and key = ${key} and status is null`.execute(db);
}

async function keep(
  db: Db,
  secrets: Secrets,
  request: KeyedRequest,
  answer: Pick<Answer, 'headers' | 'body' | 'sessionId'> & { status: number | null },
): Promise<void> {
  const { caller, key, hashes, by } = request;
  const { headers, body, sessionId = null } = answer;
  const sealed = secrets.seal(Buffer.from(JSON.stringify({ headers, body } satisfies SealedAnswer)));
  if (sealed.length > LARGE_BYTES && (await keptBytes(db, caller)) + sealed.length > KEPT_BYTES) {
    const error = answerNotKept();
    return keep(db, secrets, request, { status: error.status, headers: {}, body: errorBody(error) });
  }
  // Those that the request was let in with, and those that it gave: an invite that is accepted is answered with the team.
  const onSites = [...(by?.siteRoles ?? [])].map(([id, { role }]) => [id, role] as const);
  const userId = by && !by.credential.teamId ? by.userId : null;
  const roles = sql`(select coalesce(jsonb_object_agg(id, role), '{}') from (
      select team_id as id, role from team_members where user_id = ${userId}
      union all select site_id, role from site_roles where user_id = ${userId}) given)
    || ${JSON.stringify(Object.fromEntries([...(by?.roles ?? []), ...onSites]))}::jsonb`;
  await sql`
    insert into idempotent_answers (caller, key, request_hash, status, body_sealed, roles, session_id)
    values (${caller}, ${key}, ${hashes[0]}, ${answer.status}, ${sealed}, ${roles}, ${sessionId})
    on conflict (caller, key) do update set request_hash = excluded.request_hash, status = excluded.status, headers = null,
      body_sealed = excluded.body_sealed, roles = excluded.roles, session_id = excluded.session_id, created_at = now()`.execute(
    db,
  );
}

async function keptBytes(db: Db, caller: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(body_sealed)), 0)::bigint as bytes from idempotent_answers where caller = ${caller}`.execute(
    db,
  );
  return rows[0]?.bytes ?? 0;
}
