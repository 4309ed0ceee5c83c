import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { SWITCHED_OFF_BECAUSE } from './webhook.notice.ts';
import { findNotice } from './webhook.sql.ts';
import { hostOf } from './webhook.ts';

/** The team's owner hears that nothing is sent any more, and what to do. */
export const mailSwitchedOff = jobKind<{ webhookId: string }>({
  name: 'webhook.mail_switched_off',
  lane: 'background',
  async run({ webhookId }, { id, services }) {
    const notice = await findNotice(services.db, webhookId);
    // Deleted or switched on again meanwhile: there is nothing to say.
    if (!notice) return;
    const host = hostOf(notice);
    const lead = `The webhook of the team "${notice.team_name}" to ${host} is switched off: ${SWITCHED_OFF_BECAUSE[notice.reason]}.`;
    const advice = 'What waited for it is kept for 30 days and goes out when you switch it on again.';
    const url = `${services.config.baseUrl}/teams/${notice.team_id}?tab=webhooks`;
    await mailPerson(services, {
      id,
      userId: notice.owner_id,
      kind: 'webhooks',
      letter: {
        subject: `The webhook to ${host} is switched off`,
        blocks: [lead, advice, { label: 'Open webhooks', url }],
      },
    });
  },
});
