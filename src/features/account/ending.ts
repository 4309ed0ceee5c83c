import type { Caller } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { endPlan } from '#features/billing/billing.ts';
import { revokeCredentials } from '#features/credential/credential.ts';
import { unlinkGitAccounts } from '#features/git-account/git-account.ts';
import { removeFactors } from '#features/second-factor/second-factor.ts';
import { closeTeam, leaveTeams, lockOwnedTeams, lockTeam } from '#features/team/team.ts';
import { updateUser } from '#features/user/user.ts';
import { operatorStays } from './account.schema.ts';
import { deleteChangesOf } from './email-change.sql.ts';
import { emptyTeam } from './take-over.ts';

/** What is in the team goes, each thing with its usual event; an operator can bring its sites back for seven days. A paid plan is not renewed. */
export async function deleteTeam(db: Db, services: Services, owner: Caller, teamId: string): Promise<void> {
  const team = await lockTeam(db, teamId);
  if (!team) throw teamNotFound();
  await recheckRights(db, owner, teamId);
  await end(db, services, owner, teamId);
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.team_deleted',
    activity: `${owner.fullName} deleted the team "${team.name}"`,
    by: owner,
  });
}

async function end(db: Db, services: Services, owner: Caller, teamId: string): Promise<void> {
  await emptyTeam(db, services, owner, teamId);
  await endPlan(db, services, teamId);
  await closeTeam(db, services, owner, teamId);
}

/**
 * The account and the teams that it owns. What others keep of the person (what they wrote in a ticket, what they did on a site) stays under the
 * name "Deleted person"; the address is free again.
 */
export async function deleteAccount(
  db: Db,
  services: Services,
  caller: Caller,
  unknownPassword: string,
): Promise<void> {
  if (caller.isSuperuser) throw operatorStays();
  for (const teamId of await lockOwnedTeams(db, caller.userId)) await end(db, services, caller, teamId);
  await leaveTeams(db, services, caller);
  await unlinkGitAccounts(db, caller);
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.deleted',
    activity: 'The account was deleted',
    by: caller,
  });
  await removeFactors(db, caller.userId);
  // A way back would give the address to an account that nobody has.
  await deleteChangesOf(db, caller.userId);
  await updateUser(db, caller.userId, {
    email: `${caller.userId}@deleted.invalid`,
    first_name: 'Deleted',
    last_name: 'person',
    password_hash: unknownPassword,
    is_active: false,
    is_verified: false,
  });
  await revokeCredentials(db, services, caller.userId);
}
