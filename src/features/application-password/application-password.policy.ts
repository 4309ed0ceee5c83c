import { type Caller, hasRole, type Role } from '#core/auth/caller.ts';
import { forbidden } from '#core/errors.ts';
import { type Access, ruleOf } from '#core/policy.ts';
import { ambiguousTeam, applicationPasswordNotFound } from './application-password.schema.ts';
import { type ApplicationPasswordRow, findApplicationPasswords } from './application-password.sql.ts';

/**
 * A path names the host alone, and several of the caller's teams may have a password for it. Only those count in which the
 * caller may do what they ask for; where more than one is left, they have to say which (`team_id`).
 */
export function onApplicationPassword(role: Role): Access<ApplicationPasswordRow[]> {
  return {
    who: 'team',
    rule: ruleOf(role),
    named: 'path',
    errors: [applicationPasswordNotFound, forbidden],
    find: async (db, caller, input) => {
      const found = await findApplicationPasswords(db, String(input.fqdn), caller.roles.keys());
      requireAllowed(found, caller, role);
      return found;
    },
  };
}

/** The one that is meant among those of the caller's teams. */
export function chooseApplicationPassword(
  found: readonly ApplicationPasswordRow[],
  caller: Caller,
  role: Role,
  teamId: string | undefined,
): ApplicationPasswordRow {
  const named = teamId === undefined ? found : found.filter((row) => row.team_id === teamId);
  const [chosen, another] = requireAllowed(named, caller, role) as [ApplicationPasswordRow, ApplicationPasswordRow?];
  if (another) throw ambiguousTeam();
  return chosen;
}

/** Those that the caller may use, one at least. */
export function requireAllowed(
  found: readonly ApplicationPasswordRow[],
  caller: Caller,
  role: Role,
): ApplicationPasswordRow[] {
  if (found.length === 0) throw applicationPasswordNotFound();
  const allowed = found.filter((row) => hasRole(caller, row.team_id, role));
  if (allowed.length === 0) throw forbidden({ message: `This needs the role ${role} or above in the team.` });
  return allowed;
}
