import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { PlanName } from '#features/plan/plan.ts';
import { tooManySent } from './invite.schema.ts';
import { insertSend, lockSends, type Send, secondsUntilFree } from './invite-send.sql.ts';

/**
 * How many mails go out within a day to one mailbox from the whole platform, in one person's name, and for a team. They are
 * counted as sent, whatever becomes of the invite, and are far above what people do who work together.
 */
const PER_DAY = { mailbox: 5, person: 200 };
const PER_DAY_OF_TEAM: Record<PlanName, number> = { free: 20, micro: 50, starter: 100, business: 200 };

/** Counts one more, or refuses it. Says the same of an address that has an account here and of one that has none. */
export async function countSend(
  db: Db,
  { config }: Services,
  { email, team_id, user_id, plan }: { email: string; team_id: string; user_id: string; plan: PlanName },
): Promise<void> {
  const send: Send = { mailbox: mailboxOf(email), team_id, user_id };
  await lockSends(db, send);
  for (const [column, perDay, who] of [
    ['mailbox', PER_DAY.mailbox, 'This address has had'],
    ['user_id', PER_DAY.person, 'You have sent'],
    ['team_id', PER_DAY_OF_TEAM[plan], `Your team, on the plan ${plan}, has sent`],
  ] as const) {
    const allowed = Math.ceil(perDay * config.rateLimitFactor);
    const seconds = allowed > 0 ? await secondsUntilFree(db, column, send[column], allowed) : undefined;
    if (seconds === undefined) continue;
    const headers = { 'retry-after': String(Math.max(1, seconds)) };
    throw tooManySent({ message: `${who} ${allowed} invites within a day; try again later.`, headers });
  }
  await insertSend(db, send);
}

/** Most mail servers take what follows a plus for a note of the owner's, so many addresses are one mailbox. */
function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, at).split('+')[0]}${email.slice(at)}`;
}
