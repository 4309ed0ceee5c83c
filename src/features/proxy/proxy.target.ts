import { type Caller, hasRoleOnSite, type Role, roleOnSite } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Failure, forbidden } from '#core/errors.ts';
import { type Access, requireScope, requireVerified } from '#core/policy.ts';
import { applicationPasswordNotFound } from '#features/application-password/application-password.schema.ts';
import {
  type ApplicationPasswordRow,
  chooseApplicationPassword,
  findApplicationPasswords,
  requireAllowed,
} from '#features/application-password/application-password.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { findSite, type SiteRow } from '#features/instance/instance.ts';
import type { ProxyRequest } from './proxy.rules.ts';

/** Where a request goes: to a site that is hosted here, or elsewhere with a stored password. */
export type Target = { site: SiteRow } | { password: ApplicationPasswordRow };

/** What the body names, for operations whose needed role and scope follow from the request that they pass on. */
export function onTarget<Subject>(
  rule: string,
  find: NonNullable<Access<Subject>['find']>,
  errors: readonly Failure[],
  reads = 'to read',
): Access<Subject> {
  const rules = `viewer ${reads}, member for anything else, ${rule}`;
  return { who: 'team', rule: rules, named: 'body', scope: 'read', find, errors };
}

/** What the path names: a site here or elsewhere, whichever team it is of. */
export function onHost(role: Role): Access<undefined> {
  return {
    who: 'team',
    rule: `${role} and above in the team of the site or of the stored password`,
    named: 'path',
    errors: [applicationPasswordNotFound, forbidden],
    find: async (db, caller, { fqdn }) => {
      const name = String(fqdn);
      const site = await findOwnSite(db, caller, name);
      if (site) requireRoleOn(caller, site, role);
      // Which one of several is said by the query, which is read later.
      else {
        requireAllowed(await findApplicationPasswords(db, name, caller.roles.keys()), caller, role);
        requireVerified(caller);
      }
      return undefined;
    },
  };
}

/** After the lookup, so that a narrow token finds out no more than a wide one. */
export function requireScopeFor(caller: Caller, { reads }: Pick<ProxyRequest, 'reads'>): void {
  requireScope(caller, reads ? 'read' : 'write');
}

export const roleFor = ({ reads }: Pick<ProxyRequest, 'reads'>): Role => (reads ? 'viewer' : 'member');

/** A site of the caller's teams goes before a password for its name; that may be older than the site. */
export async function findTarget(
  db: Db,
  caller: Caller,
  role: Role,
  { fqdn, team_id }: { fqdn: string; team_id?: string | undefined },
): Promise<Target> {
  const site = await findOwnSite(db, caller, fqdn);
  if (site && (team_id === undefined || team_id === site.team_id)) {
    requireRoleOn(caller, site, role);
    return { site };
  }
  const password = await findPassword(db, caller, role, { fqdn, team_id });
  requireVerified(caller);
  return { password };
}

export async function findPassword(
  db: Db,
  caller: Caller,
  role: Role,
  { fqdn, team_id }: { fqdn: string; team_id?: string | undefined },
): Promise<ApplicationPasswordRow> {
  const found = await findApplicationPasswords(db, fqdn, caller.roles.keys());
  return chooseApplicationPassword(found, caller, role, team_id);
}

export async function requireSite(db: Db, caller: Caller, role: Role, fqdn: string): Promise<SiteRow> {
  const site = await findOwnSite(db, caller, fqdn);
  if (!site) throw siteNotFound();
  requireRoleOn(caller, site, role);
  return site;
}

async function findOwnSite(db: Db, caller: Caller, fqdn: string): Promise<SiteRow | undefined> {
  const site = await findSite(db, fqdn);
  return site && roleOnSite(caller, site) ? site : undefined;
}

function requireRoleOn(caller: Caller, site: SiteRow, role: Role): void {
  if (!hasRoleOnSite(caller, site, role))
    throw forbidden({ message: `This needs the role ${role} or above in the team.` });
}
