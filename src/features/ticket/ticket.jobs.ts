import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { findReplyForMail } from './ticket.sql.ts';

export const mailReply = jobKind<{ replyId: string }>({
  name: 'ticket.mail_reply',
  lane: 'background',
  async run({ replyId }, { id, services }) {
    const reply = await findReplyForMail(services.db, replyId);
    if (!reply) return;
    const url = `${services.config.baseUrl}/tickets/${reply.ticket_id}`;
    await mailPerson(services, {
      id,
      userId: reply.user_id,
      kind: 'tickets',
      letter: {
        subject: `Re: ${reply.subject}`,
        blocks: [
          `There is an answer to your ticket "${reply.subject}".`,
          ...(reply.description ? [{ quote: reply.description }] : []),
          { label: 'Read and reply', url },
        ],
      },
    });
  },
});
