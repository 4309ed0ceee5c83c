import type { Caller } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { failure } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { writeLetter } from '#core/letter.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { endPlan, hasFreeTeam } from '#features/billing/billing.ts';
import type { Team } from '#features/team/team.schema.ts';
import { changeOwner, getTeam, lockTeam } from '#features/team/team.ts';
import { findUser, findUserIfAny, lockUser } from '#features/user/user.ts';

export const newOwnerUnconfirmed = failure(
  'team.new_owner_unconfirmed',
  409,
  'They have not confirmed their email address yet.',
);
export const newOwnerBlocked = failure(
  'team.new_owner_blocked',
  409,
  'An operator has blocked them, so nobody could look after the team.',
);
export const newOwnerHasFree = failure(
  'team.new_owner_has_free',
  409,
  'They have a free team already, and everybody has one: choose a paid plan for this one first, or have them delete theirs.',
);

/**
 * The team gets another owner, who is in it already; the one before stays as an admin. What they pay for the team is not theirs to hand over: it
 * ends with the period that is paid, and the new owner chooses a plan of their own.
 */
export async function transferTeam(
  db: Db,
  services: Services,
  owner: Caller,
  teamId: string,
  newOwnerId: string,
): Promise<Team> {
  const team = await lockTeam(db, teamId);
  if (!team) throw teamNotFound();
  await recheckRights(db, owner, teamId);
  const next = await changeOwner(db, services, owner, teamId, newOwnerId);
  if (!next.is_verified) throw newOwnerUnconfirmed();
  if (!next.is_active) throw newOwnerBlocked();
  // Two who give them one at once come one after the other.
  await lockUser(db, newOwnerId);
  if (team.plan_type_name === 'free' && (await hasFreeTeam(db, newOwnerId, teamId))) throw newOwnerHasFree();
  await endPlan(db, services, teamId);
  await recordEvent(db, {
    scope: 'team',
    event_type: 'team.transferred',
    activity: `${owner.fullName} transferred the team to ${next.full_name}`,
    by: owner,
    team_id: teamId,
    item_id: newOwnerId,
  });
  const told = { teamName: team.name, isPaid: team.sub_id !== null, before: owner.userId, after: newOwnerId };
  for (const to of [owner.userId, newOwnerId]) await services.jobs.enqueue(db, mailTransfer, { ...told, to });
  return getTeam(db, { ...owner, roles: new Map([...owner.roles, [teamId, 'admin']]) }, teamId);
}

interface TransferMail {
  teamName: string;
  isPaid: boolean;
  before: string;
  after: string;
  to: string;
}

export const mailTransfer = jobKind<TransferMail>({
  name: 'team.mail_transfer',
  lane: 'background',
  async run({ teamName, isPaid, before, after, to }, { id, services }) {
    const { db, mailer, config } = services;
    const person = await findUserIfAny(db, to);
    if (!person?.is_active) return;
    const [old, next] = [await findUser(db, before), await findUser(db, after)];
    const isOld = to === before;
    const lead = isOld
      ? `You transferred the team "${teamName}" to ${next.full_name} (${next.email}). You are an admin of it from now on.`
      : `${old.full_name} (${old.email}) transferred the team "${teamName}" to you. You own it from now on, with its sites and its members.`;
    const plan = !isPaid
      ? []
      : isOld
        ? ['Its plan is not renewed: what you paid for stays until the end of the period.']
        : ['Its plan is paid until the end of the period. Choose a plan of your own before that, in Usage & billing.'];
    const doubt = isOld ? ['If this was not you, set a new password at once and write to us.'] : [];
    const letter = writeLetter({
      subject: isOld ? `You transferred ${teamName}` : `${teamName} is yours now`,
      firstName: person.first_name,
      blocks: [lead, ...plan, { label: 'Your teams', url: `${config.baseUrl}/teams` }, ...doubt],
    });
    await mailer.send({ id, to: person.email, ...letter });
  },
});
