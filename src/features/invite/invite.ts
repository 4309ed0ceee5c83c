import { type Caller, seesSecrets } from '#core/auth/caller.ts';
import { rightsChanged } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import type { Team } from '#features/team/team.schema.ts';
import { findTeam, getTeam, insertMember, isMemberByEmail, joinSites, type TeamRow } from '#features/team/team.ts';
import { updateUser } from '#features/user/user.ts';
import { mailInvite } from './invite.jobs.ts';
import { inviteLink, readInviteToken } from './invite.link.ts';
import {
  alreadyMember,
  type Invite,
  inviteExists,
  inviteExpired,
  inviteNotFound,
  inviteUsed,
  type NewInvite,
  type OpenedInvite,
  otherAddress,
  tooManyInvites,
} from './invite.schema.ts';
import {
  countOpenInvites,
  countSitesOf,
  deleteOpenInvites,
  findInvitation,
  type InviteRow,
  insertInvite,
  lockInvite,
  markAccepted,
  deleteInvite as removeInvite,
  setInviteRole,
} from './invite.sql.ts';
import { countSend } from './invite-send.ts';

/** Each one is a mail to a stranger in our name. */
const MAX_OPEN_INVITES = 500;

/** The link lets its holder into the team, so it is shown only to credentials that could invite anyway. */
export function toInvite(services: Services, caller: Caller, row: InviteRow): Invite {
  return { ...row, link: seesSecrets(caller) ? inviteLink(services, row) : '' };
}

/** Writes the invite and its mail's job together; the event ends when the mail is on its way. */
export async function createInvite(call: Call, teamId: string, input: NewInvite): Promise<Invite> {
  const { db, services, caller } = call;
  const target_email = input.target_email.toLowerCase();
  if (await isMemberByEmail(db, teamId, target_email)) throw alreadyMember();
  const siteIds = new Set(input.site_ids);
  if ((await countSitesOf(db, teamId, [...siteIds])) < (input.site_ids?.length ?? 0))
    throw invalid(bodyFault('site_ids', 'Value error, there is no such site in the team, or one is named twice'));
  if ((await countOpenInvites(db, teamId)) >= MAX_OPEN_INVITES) throw tooManyInvites();
  const row = await insertInvite(db, {
    team_id: teamId,
    created_by: caller.userId,
    target_email,
    first_name: input.first_name?.trim() || null,
    message: input.message?.trim() || null,
    role: input.role ?? 'member',
    site_ids: input.site_ids ?? null,
  });
  if (!row) throw inviteExists();
  const { plan_type_name: plan } = (await findTeam(db, teamId)) as TeamRow;
  await countSend(db, services, { email: target_email, team_id: teamId, user_id: caller.userId, plan });
  const eventId = await recordEvent(db, {
    scope: 'team',
    event_type: 'member.invited',
    activity: `${caller.fullName} invited ${target_email}`,
    by: caller,
    team_id: teamId,
    item_id: row.id,
    detail: { role: row.role },
    unfinished: true,
  });
  await services.jobs.enqueue(db, mailInvite, { inviteId: row.id, eventId });
  call.headers['operation-id'] = eventId;
  return toInvite(services, caller, row);
}

export async function deleteInvite(db: Db, caller: Caller, teamId: string, inviteId: string): Promise<void> {
  const row = await removeInvite(db, teamId, inviteId);
  if (!row) throw inviteNotFound();
  await recordWithdrawal(db, caller, row);
}

export async function updateInvite(
  { db, services, caller }: Call,
  teamId: string,
  inviteId: string,
  role: InviteRow['role'],
): Promise<Invite> {
  const row = await setInviteRole(db, teamId, inviteId, role);
  if (!row) throw inviteNotFound();
  await recordEvent(db, {
    scope: 'team',
    event_type: 'member.updated',
    activity: `${caller.fullName} made the invite for ${row.target_email} one as ${role}`,
    by: caller,
    team_id: teamId,
    item_id: row.id,
    detail: { role },
  });
  return toInvite(services, caller, row);
}

export async function withdrawInvites(db: Db, caller: Caller, teamId: string): Promise<void> {
  for (const row of await deleteOpenInvites(db, teamId)) await recordWithdrawal(db, caller, row);
}

async function recordWithdrawal(db: Db, caller: Caller, row: InviteRow): Promise<void> {
  await recordEvent(db, {
    scope: 'team',
    event_type: 'member.uninvited',
    activity: `${caller.fullName} withdrew the invite for ${row.target_email}`,
    by: caller,
    team_id: row.team_id,
    item_id: row.id,
  });
}

/** What the holder of a link may know before signing in. */
export async function inspectInvite(db: Db, services: Services, token: string): Promise<OpenedInvite> {
  const { id } = readInviteToken(services, token);
  const invite = id && (await findInvitation(db, id));
  if (!invite) throw inviteNotFound();
  requireOpen(invite);
  return invite;
}

export async function acceptInvite(db: Db, services: Services, caller: Caller, token: string): Promise<Team> {
  const { id, isMailed } = readInviteToken(services, token);
  const invite = id && (await lockInvite(db, id));
  if (!invite) throw inviteNotFound();
  if (invite.target_email !== caller.email) throw otherAddress();
  requireOpen(invite);
  await join(db, caller, invite);
  await markAccepted(db, invite.id);
  // The address is the invite's, and its mail was read: that is all that a confirmation would show.
  if (isMailed && !caller.isVerified) await updateUser(db, caller.userId, { is_verified: true });
  rightsChanged(db, services, caller.userId);
  await recordEvent(db, {
    scope: 'team',
    event_type: 'member.joined',
    activity: `${caller.fullName} joined the team`,
    by: caller,
    team_id: invite.team_id,
    item_id: caller.userId,
    detail: { role: invite.role },
  });
  if (!invite.site_ids) return { ...(await getTeam(db, caller, invite.team_id)), role: invite.role };
  const limited = { ...caller, limitedTo: new Set([...caller.limitedTo, invite.team_id]) };
  return getTeam(db, limited, invite.team_id);
}

async function join(db: Db, { userId }: Caller, { team_id, site_ids, role }: InviteRow): Promise<void> {
  if (!site_ids) {
    if (!(await insertMember(db, team_id, userId, role))) throw alreadyMember();
    return;
  }
  const joined = await joinSites(
    db,
    { team_id, user_id: userId },
    site_ids.map((site_id) => ({ site_id, role })),
  );
  if (joined === 'is member') throw alreadyMember();
  if (joined === 'no site') throw inviteExpired({ message: 'The sites of this invite are gone; ask for a new one.' });
}

function requireOpen(invite: InviteRow): void {
  if (invite.accepted_at) throw inviteUsed();
  if (invite.expiry <= new Date()) throw inviteExpired();
}
