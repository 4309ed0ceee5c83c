import { jobKind } from '#core/jobs/jobs.ts';
import { findUser } from '#features/user/user.ts';
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
    const { email, first_name } = await findUser(services.db, userId);
    const until = resource === 'storage' ? '' : ` until ${cycleEnd.slice(0, 10)}`;
    const lead = `your team "${teamName}" has used ${percent} % of the ${resource} that the plan ${plan} has${until}.`;
    const effect = resource === 'storage' ? storageEffect(percent) : '';
    const text = `Hello ${first_name},\n\n${lead}${effect} Your sites stay online.\n\nA larger plan has more:\n\n${services.config.baseUrl}/teams/${teamId}\n`;
    await services.mailer.send({
      id,
      to: email,
      subject: `${teamName}: ${percent} % of the ${resource} is used`,
      text,
    });
  },
});

const storageEffect = (percent: number) =>
  percent < 100
    ? ' When all of it is used, new uploads are refused.'
    : ' New uploads are refused until something is deleted or a larger plan is chosen; deleted sites count for seven days.';
