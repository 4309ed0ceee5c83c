import type { Db } from '#core/db/database.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { GRACE_MS } from './billing.state.ts';

type Subject = 'payment_failed' | 'ended' | 'expired';

interface BillingMail {
  about: Subject;
  userId: string;
  teamId: string;
  teamName: string;
  /** When the sites go to sleep; null where they stay. */
  expiresAt: string | null;
}

const TEXTS: Record<Subject, { subject: string; lead: (team: string, day: string | undefined) => string }> = {
  payment_failed: {
    subject: 'A payment failed',
    lead: (team, day) =>
      `The last payment for your team "${team}" failed. Please pay in the billing portal by ${day}; until then everything stays as it is, and then its sites go to sleep. Nothing is deleted.`,
  },
  ended: {
    subject: 'Your plan has ended',
    lead: (team, day) =>
      `The plan of your team "${team}" has ended, and the team is on the plan free now.${
        day === undefined
          ? ''
          : ` It uses more than free has room for: its sites go to sleep on ${day} unless you choose a plan or delete what is too much. Nothing is deleted by us.`
      }`,
  },
  expired: {
    subject: 'Your sites are asleep',
    lead: (team) =>
      `Your team "${team}" has not been paid for 14 days, so its sites sleep from now on. Nothing is deleted: as soon as it is paid they are back.`,
  },
};

/** The owner hears of what is about money, and nobody else. */
export const mailBilling = jobKind<BillingMail>({
  name: 'billing.mail',
  lane: 'background',
  async run({ about, userId, teamId, teamName, expiresAt }, { id, services }) {
    const { subject, lead } = TEXTS[about];
    const url = `${services.config.baseUrl}/teams/${teamId}`;
    await mailPerson(services, {
      id,
      userId,
      // That sites sleep is told to everybody.
      ...(about !== 'expired' && { kind: 'billing' }),
      letter: {
        subject: `${teamName}: ${subject}`,
        blocks: [lead(teamName, expiresAt?.slice(0, 10)), { label: 'Open billing', url }],
      },
    });
  },
});

export async function mailOwner(
  db: Db,
  { jobs }: Services,
  team: { id: string; user_id: string; name: string },
  about: Subject,
  unpaidSince: Date | null,
): Promise<void> {
  const expiresAt = unpaidSince && new Date(unpaidSince.getTime() + GRACE_MS).toISOString();
  await jobs.enqueue(db, mailBilling, { about, userId: team.user_id, teamId: team.id, teamName: team.name, expiresAt });
}
