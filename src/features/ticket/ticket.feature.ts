import { feature } from '../feature.ts';
import { answerMessage } from './answer.jobs.ts';
import { attachmentOperations } from './attachment.routes.ts';
import { deleteUnclaimedAttachments } from './attachment.sql.ts';
import { mailReply } from './ticket.jobs.ts';
import { ticketOperations } from './ticket.routes.ts';

export const ticketFeature = feature({
  name: 'ticket',
  operations: [...ticketOperations, ...attachmentOperations],
  jobs: [mailReply, answerMessage],
  housekeeping: deleteUnclaimedAttachments,
});
