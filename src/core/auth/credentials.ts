import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Listener } from '#core/db/listener.ts';
import type { Caller, CredentialKind, Resource, Role, Scope, SiteRole } from './caller.ts';
import { hashToken } from './tokens.ts';

const CACHE_MS = 5_000;
const CACHE_SIZE = 10_000;
const LAST_USED_EVERY_MS = 60_000;

interface CredentialRow {
  id: string;
  kind: CredentialKind;
  scopes: Scope[];
  team_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  resource: Resource | null;
  user_id: string;
  email: string;
  full_name: string;
  is_superuser: boolean;
  is_verified: boolean;
  roles: Record<string, Role>;
  limited_to: string[];
  site_roles: Record<string, SiteRole>;
  viewed_by?: string;
}

/** Of the person `u`. */
const RIGHTS = sql`(select coalesce(json_object_agg(m.team_id, m.role), '{}') from team_members m where m.user_id = u.id) as roles,
  array(select m.team_id::text from limited_members m where m.user_id = u.id) as limited_to,
  (select coalesce(json_object_agg(s.site_id, json_build_object('teamId', s.team_id, 'role', s.role)), '{}')
    from site_roles s where s.user_id = u.id) as site_roles`;

/**
 * Turns a token into a caller with one indexed query, remembered for seconds. Revoking works at once all the same:
 * the database announces each change of rights, the cache drops that user, and while the announcements can not be heard
 * nothing is taken from the cache.
 */
export class Credentials {
  readonly #db: Db;
  readonly #listener: Listener;
  readonly #cache = new Map<string, { caller: Caller; until: number }>();
  /** Goes up with each change heard, so that a lookup begun before a change is not remembered after it. */
  #generation = 0;

  constructor(db: Db, listener: Listener) {
    this.#db = db;
    this.#listener = listener;
    listener.on('access_changed', (userId) => this.forget(userId));
    listener.onReconnect(() => this.#forgetAll());
  }

  /**
   * Whose token it is. One that is for a resource alone is nobody's anywhere else. Inside a transaction its own `db` must be
   * given: whoever waits for a second connection may wait for ever.
   */
  async resolve(
    token: string,
    db: Db = this.#db,
    { shownTo, from }: { shownTo?: Resource | undefined; from?: string } = {},
  ): Promise<Caller | undefined> {
    const caller = await this.#resolve(token, db, from);
    const resource = caller?.credential.resource ?? null;
    return resource === null || resource === shownTo ? caller : undefined;
  }

  async #resolve(token: string, db: Db, from: string | undefined): Promise<Caller | undefined> {
    const hash = hashToken(token);
    const key = hash.toString('base64');
    const now = performance.now();
    const known = this.#cache.get(key);
    if (known && this.#listener.connected && known.until > now) {
      const { expiresAt } = known.caller.credential;
      return expiresAt === null || expiresAt.getTime() > Date.now() ? known.caller : undefined;
    }

    const generation = this.#generation;
    const row = await this.#find(sql`c.token_hash = ${hash} and c.kind <> 'ssh_key'`, db);
    if (!row) return undefined;
    const caller = toCaller(row);
    if (this.#listener.connected && generation === this.#generation) {
      if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
      this.#cache.set(key, { caller, until: now + CACHE_MS });
    }
    // A session is used by its browser alone: where that is, only a request says.
    if (row.kind === 'api_token' || row.kind === 'oauth' || (row.kind === 'session' && from !== undefined))
      await this.#noteUse(row, db, from);
    return caller;
  }

  /** The same caller as they are now, for whoever acts in their name without their token. */
  async renew({ credential }: { credential: Pick<Caller['credential'], 'id'> }): Promise<Caller | undefined> {
    const row =
      (await this.#find(sql`c.id = ${credential.id}`, this.#db)) ??
      (await this.#findView(sql`v.id = ${credential.id}`, this.#db));
    return row && toCaller(row);
  }

  /** Whose account an operator looks at with this token. Never remembered, so that its end counts at once everywhere. */
  async resolveView(token: string, db: Db = this.#db): Promise<Caller | undefined> {
    const row = await this.#findView(sql`v.token_hash = ${hashToken(token)}`, db);
    return row && toCaller(row);
  }

  /** Called by whoever changes rights, after the commit, so that this process need not wait for the announcement. */
  forget(userId: string): void {
    this.#generation++;
    for (const [key, entry] of this.#cache) if (entry.caller.userId === userId) this.#cache.delete(key);
  }

  #forgetAll(): void {
    this.#generation++;
    this.#cache.clear();
  }

  async #find(which: RawBuilder<unknown>, db: Db): Promise<CredentialRow | undefined> {
    const { rows } = await sql<CredentialRow>`
      select c.id, c.kind, c.scopes, c.team_id, c.resource, least(c.expires_at, c.token_expires_at) as expires_at, c.last_used_at, u.id as user_id, u.email,
        u.first_name || ' ' || u.last_name as full_name, u.is_superuser, u.is_verified,
        ${RIGHTS}
      from credentials c join users u on u.id = c.user_id
      where ${which} and u.is_active and (c.expires_at is null or c.expires_at > now())
        and (c.token_expires_at is null or c.token_expires_at > now())`.execute(db);
    return rows[0];
  }

  /** A view reads, and is no operator's whoever looks. It ends with the session that it was begun with. */
  async #findView(which: RawBuilder<unknown>, db: Db): Promise<CredentialRow | undefined> {
    const { rows } = await sql<CredentialRow>`
      select v.id, 'view' as kind, '{read}'::text[] as scopes, null as team_id, null as resource, v.expires_at, null as last_used_at, u.id as user_id,
        u.email, u.first_name || ' ' || u.last_name as full_name, false as is_superuser, u.is_verified, o.id as viewed_by,
        ${RIGHTS}
      from account_views v join users u on u.id = v.user_id join users o on o.id = v.operator_id
        join credentials c on c.id = v.session_id and c.user_id = o.id
      where ${which} and v.ended_at is null and v.expires_at > now() and (c.expires_at is null or c.expires_at > now())
        and o.is_active and o.is_superuser and not u.is_superuser`.execute(db);
    return rows[0];
  }

  async #noteUse(row: CredentialRow, db: Db, from: string | undefined): Promise<void> {
    if (row.last_used_at && Date.now() - row.last_used_at.getTime() < LAST_USED_EVERY_MS) return;
    await sql`update credentials set last_used_at = now(), ip = coalesce(${from ?? null}, ip) where id = ${row.id}`.execute(
      db,
    );
  }
}

function toCaller(row: CredentialRow): Caller {
  const isReached = (teamId: string) => row.team_id === null || row.team_id === teamId;
  const roles = Object.entries(row.roles).filter(([teamId]) => isReached(teamId));
  // Whoever is in the whole team is not limited in it, however the two came to be.
  const isLimited = (teamId: string) => isReached(teamId) && row.roles[teamId] === undefined;
  return {
    userId: row.user_id,
    email: row.email,
    fullName: row.full_name.trim(),
    isSuperuser: row.is_superuser && row.team_id === null,
    isVerified: row.is_verified,
    ...(row.viewed_by && { viewedBy: row.viewed_by }),
    roles: new Map(roles),
    limitedTo: new Set(row.limited_to.filter(isLimited)),
    siteRoles: new Map(Object.entries(row.site_roles).filter(([, { teamId }]) => isLimited(teamId))),
    credential: {
      id: row.id,
      kind: row.kind,
      scopes: row.scopes,
      teamId: row.team_id,
      expiresAt: row.expires_at,
      resource: row.resource,
    },
  };
}
