import { jobKind } from '#core/jobs/jobs.ts';
import { findReplyForMail } from './ticket.sql.ts';

export const mailReply = jobKind<{ replyId: string }>({
  name: 'ticket.mail_reply',
  lane: 'background',
  async run({ replyId }, { id, services }) {
    const reply = await findReplyForMail(services.db, replyId);
    if (!reply) return;
    const url = `${services.config.baseUrl}/tickets/${reply.ticket_id}`;
    const text = `Hello ${reply.first_name},\n\nthere is an answer to your ticket "${reply.subject}":\n\n${reply.description}\n\nRead and reply: ${url}\n`;
    await services.mailer.send({ id, to: reply.email, subject: `Re: ${reply.subject}`, text });
  },
});
