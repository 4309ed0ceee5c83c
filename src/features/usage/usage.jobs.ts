import { jobKind } from '#core/jobs/jobs.ts';
import { findUser } from '#features/user/user.ts';

interface LimitMail {
  userId: string;
  teamId: string;
  teamName: string;
  resource: 'visits' | 'bandwidth';
  percent: number;
  plan: string;
  cycleEnd: string;
}

export const mailLimitReached = jobKind<LimitMail>({
  name: 'usage.mail_limit',
  lane: 'background',
  async run({ userId, teamId, teamName, resource, percent, plan, cycleEnd }, { id, services }) {
    const { email, first_name } = await findUser(services.db, userId);
    const what = resource === 'visits' ? 'visits' : 'traffic';
    const lead = `your team "${teamName}" has used ${percent} % of the ${what} that the plan ${plan} has until ${cycleEnd.slice(0, 10)}.`;
    const text = `Hello ${first_name},\n\n${lead} Your sites stay online.\n\nA larger plan has more:\n\n${services.config.baseUrl}/teams/${teamId}\n`;
    await services.mailer.send({ id, to: email, subject: `${teamName}: ${percent} % of the ${what} is used`, text });
  },
});
