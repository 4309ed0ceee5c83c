import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { deleteApplicationPasswords } from '#features/application-password/application-password.ts';
import { deleteTeamSites } from '#features/deleted-site/deleted-site.ts';
import { unlinkGitAccounts } from '#features/git-account/git-account.ts';
import { withdrawInvites } from '#features/invite/invite.ts';
import { leaveTeams, lockOwnedTeams, removeOtherMembers } from '#features/team/team.ts';
import { deleteWebhooks } from '#features/webhook/webhook.ts';

/**
 * Whoever reads the mail of an address has set a password for an account that nobody had ever confirmed: somebody else may
 * have made it in their name. What is in it goes, each thing as its owner would delete it, with its usual event. They leave
 * other people's teams too: whoever invited them saw the link, so the one who joined may be another. Sessions and API tokens ended with the link already.
 */
export async function removeContents(db: Db, services: Services, owner: Caller): Promise<void> {
  for (const teamId of await lockOwnedTeams(db, owner.userId)) await emptyTeam(db, services, owner, teamId);
  await unlinkGitAccounts(db, owner);
  await leaveTeams(db, services, owner);
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.taken_over',
    activity: `The owner of ${owner.email} took the account over, and what was in it is gone`,
    by: owner,
  });
}

/** Whoever calls holds the team. */
export async function emptyTeam(db: Db, services: Services, owner: Caller, teamId: string): Promise<void> {
  // First, so that none of them hears of the rest.
  await deleteWebhooks(db, owner, teamId);
  // Before the members: whoever accepts one at this moment is a member then.
  await withdrawInvites(db, owner, teamId);
  await removeOtherMembers(db, services, owner, teamId);
  await deleteApplicationPasswords(db, owner, teamId);
  await deleteTeamSites(db, services, owner, teamId);
}
