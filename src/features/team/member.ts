import { type Caller, ROLE_LEVELS, teamsOf } from '#core/auth/caller.ts';
import { recheckRights, rightsChanged } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, forbidden, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { type User, usersById } from '#features/user/user.ts';
import { type Member, type MemberChange, memberNotFound, ownerStays, type SiteRoleWish } from './member.schema.ts';
import {
  deleteMember,
  findMember,
  insertLimitedMember,
  limitMember,
  listOtherMembers,
  listSiteRoles,
  type MemberRow,
  setRole,
  setSiteRoles,
} from './member.sql.ts';
import { lockTeam, markDeleted, setOwner } from './team.sql.ts';

/** Below everybody who is in the whole team. */
const LIMITED_LEVEL = -10;

export async function completeMembers(db: Db, teamId: string, rows: MemberRow[]): Promise<Member[]> {
  const users = await usersById(
    db,
    rows.map((row) => row.user_id),
  );
  const limited = rows.filter(({ role }) => role === 'limited').map(({ user_id }) => user_id);
  const sites = Map.groupBy(await listSiteRoles(db, teamId, limited), ({ user_id }) => user_id);
  return rows.map((row) => ({
    ...row,
    level: row.role === 'limited' ? LIMITED_LEVEL : ROLE_LEVELS[row.role],
    sites: (sites.get(row.user_id) ?? []).map(({ site_id, fqdn, role }) => ({ site_id, fqdn, role })),
    user: users.get(row.user_id) as User,
  }));
}

export async function getMember(db: Db, teamId: string, memberId: string): Promise<Member> {
  const row = await findMember(db, teamId, { id: memberId });
  if (!row) throw memberNotFound();
  return (await completeMembers(db, teamId, [row]))[0] as Member;
}

/** Another role in the team, or some of its sites alone. What somebody may no longer do ends at once. */
export async function updateMember(
  db: Db,
  services: Services,
  caller: Caller,
  teamId: string,
  memberId: string,
  change: MemberChange,
): Promise<Member> {
  const { role, sites } = change;
  if ((role === undefined) === (sites === undefined))
    throw invalid(
      bodyFault('role', 'Value error, give either a role in the team or the sites that they are limited to'),
    );
  if (!(await lockTeam(db, teamId))) throw teamNotFound();
  await recheckRights(db, caller, teamId);
  const row = await findMember(db, teamId, { id: memberId });
  if (!row) throw memberNotFound();
  if (row.role === 'owner') throw ownerStays();
  if (role !== undefined) await setRole(db, row, role);
  else {
    await limitMember(db, row);
    await giveSites(db, row, sites as SiteRoleWish[]);
  }
  rightsChanged(db, services, row.user_id);
  const member = await getMember(db, teamId, memberId);
  const what =
    role === undefined
      ? `limited ${member.user.full_name} to ${countSites(member.sites.length)}`
      : `made ${member.user.full_name} ${role}`;
  await recordEvent(db, {
    scope: 'team',
    event_type: 'member.updated',
    activity: `${caller.fullName} ${what}`,
    by: caller,
    team_id: teamId,
    item_id: row.user_id,
    detail: { role: member.role, before: row.role, sites: member.sites.map(({ fqdn }) => fqdn) },
  });
  return member;
}

const countSites = (count: number) => (count === 1 ? 'one site' : `${count} sites`);

async function giveSites(db: Db, row: MemberRow, wanted: SiteRoleWish[]): Promise<void> {
  if (new Set(wanted.map(({ site_id }) => site_id)).size < wanted.length)
    throw invalid(bodyFault('sites', 'Value error, a site is named twice'));
  if ((await setSiteRoles(db, row, wanted)) < wanted.length)
    throw invalid(bodyFault('sites', 'Value error, there is no such site in the team'));
}

/** Somebody joins for some sites; those that have left the team since count no more. False when they are in it already. */
export async function joinSites(
  db: Db,
  member: { team_id: string; user_id: string },
  sites: readonly SiteRoleWish[],
): Promise<'joined' | 'is member' | 'no site'> {
  if (!(await insertLimitedMember(db, member.team_id, member.user_id))) return 'is member';
  return (await setSiteRoles(db, member, sites)) > 0 ? 'joined' : 'no site';
}

/** The owner removes anybody else; anybody else removes themself. */
export async function removeMember(
  db: Db,
  services: Services,
  caller: Caller,
  teamId: string,
  userId: string,
): Promise<void> {
  if (caller.userId !== userId && caller.roles.get(teamId) !== 'owner') {
    throw forbidden({ message: 'Only the owner removes other members from the team.' });
  }
  const row = await findMember(db, teamId, { user_id: userId });
  if (!row) throw memberNotFound();
  if (row.role === 'owner') throw ownerStays();
  if (!(await takeOut(db, services, caller, row))) throw memberNotFound();
}

/** Leaves a team to its owner alone. */
export async function removeOtherMembers(db: Db, services: Services, owner: Caller, teamId: string): Promise<void> {
  for (const row of await listOtherMembers(db, teamId)) await takeOut(db, services, owner, row);
}

/** False when somebody else just did. */
async function takeOut(db: Db, services: Services, caller: Caller, row: MemberRow): Promise<boolean> {
  const [member] = await completeMembers(db, row.team_id, [row]);
  if (!(await deleteMember(db, row))) return false;
  rightsChanged(db, services, row.user_id);
  const name = member?.user.full_name;
  const activity = caller.userId === row.user_id ? `${name} left the team` : `${caller.fullName} removed ${name}`;
  await recordEvent(db, {
    scope: 'team',
    event_type: 'member.removed',
    activity,
    by: caller,
    team_id: row.team_id,
    item_id: row.user_id,
  });
  return true;
}

/** Everybody leaves what is not theirs. */
export async function leaveTeams(db: Db, services: Services, person: Caller): Promise<void> {
  for (const teamId of teamsOf(person))
    if (person.roles.get(teamId) !== 'owner') await removeMember(db, services, person, teamId, person.userId);
}

/** The owner before is an admin then. Whoever calls holds the team. */
export async function changeOwner(
  db: Db,
  services: Services,
  owner: Caller,
  teamId: string,
  newOwnerId: string,
): Promise<User> {
  const [before, next] = [
    await findMember(db, teamId, { user_id: owner.userId }),
    await findMember(db, teamId, { user_id: newOwnerId }),
  ];
  if (!before || !next) throw memberNotFound();
  if (next.role === 'owner') throw memberNotFound({ message: 'You own this team already.' });
  // There is never more than one.
  await setRole(db, before, 'admin');
  await setRole(db, next, 'owner');
  await setOwner(db, teamId, newOwnerId);
  for (const { user_id } of [before, next]) rightsChanged(db, services, user_id);
  return (await usersById(db, [newOwnerId])).get(newOwnerId) as User;
}

/** The last one leaves, and nobody is in the team any more. Whoever calls holds the team. */
export async function closeTeam(db: Db, services: Services, owner: Caller, teamId: string): Promise<void> {
  const row = await findMember(db, teamId, { user_id: owner.userId });
  if (row) await deleteMember(db, row);
  rightsChanged(db, services, owner.userId);
  await markDeleted(db, teamId);
}
