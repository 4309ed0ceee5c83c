import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import type { LimitedResource } from './usage.sql.ts';

interface LimitMail {
  userId: string;
  teamId: string;
  teamName: string;
  resource: LimitedResource;
  percent: number;
  plan: string;
  cycleEnd: string;
}

export const mailLimitReached = jobKind<LimitMail>({
  name: 'usage.mail_limit',
  lane: 'background',
  async run({ userId, teamId, teamName, resource, percent, plan, cycleEnd }, { id, services }) {
    const until = resource === 'storage' ? '' : ` until ${cycleEnd.slice(0, 10)}`;
    const lead = `Your team "${teamName}" has used ${percent} % of the ${resource} that the plan ${plan} has${until}.`;
    const effect = resource === 'storage' ? storageEffect(percent) : '';
    await mailPerson(services, {
      id,
      userId,
      kind: 'usage',
      letter: {
        subject: `${teamName}: ${percent} % of the ${resource} is used`,
        blocks: [
          `${lead}${effect} Your sites stay online.`,
          'A larger plan has more.',
          { label: 'See the plans', url: `${services.config.baseUrl}/teams/${teamId}` },
        ],
      },
    });
  },
});

const storageEffect = (percent: number) =>
  percent < 100
    ? ' When all of it is used, new uploads are refused.'
    : ' New uploads are refused until something is deleted or a larger plan is chosen; deleted sites count for seven days.';
