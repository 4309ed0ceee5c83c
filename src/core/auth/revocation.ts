import { sql } from 'kysely';
import { afterCommit, type Db } from '#core/db/database.ts';
import { unauthenticated } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import type { Caller } from './caller.ts';

/**
 * What this process remembers of a user's rights must not outlive the commit that changed them. Other processes hear
 * of it from the database a moment later.
 */
export function rightsChanged(db: Db, services: Services, userId: string): void {
  afterCommit(db, () => {
    services.credentials.forget(userId);
    services.events.endStreamsOf(userId);
  });
}

/**
 * For what is made after waiting for a lock: the credential, or the role in the team, may have ended meanwhile, and what is
 * made would outlive that. `siteId` is for what is made at a site, where whoever is limited to some may be let. To be asked with the lock held that whoever ended it had.
 */
export async function recheckRights(db: Db, caller: Caller, teamId?: string, siteId?: string): Promise<void> {
  const role = teamId === undefined ? undefined : caller.roles.get(teamId);
  const onSite = role === undefined && siteId !== undefined ? caller.siteRoles.get(siteId) : undefined;
  const isMember = onSite
    ? sql`exists (select from site_roles s where s.user_id = c.user_id and s.site_id = ${siteId} and s.role = ${onSite.role})`
    : sql`exists (select from team_members m
        where m.user_id = c.user_id and m.team_id = ${teamId ?? null} and m.role = ${role ?? null})`;
  const { rows } = await sql`
    select from credentials c where c.id = ${caller.credential.id} and ${teamId === undefined ? sql`true` : isMember}`.execute(
    db,
  );
  if (rows.length === 0) throw unauthenticated({ headers: { 'www-authenticate': 'Bearer' } });
}
