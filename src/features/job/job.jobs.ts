import { jobKind } from '#core/jobs/jobs.ts';
import { deleteExpiredCredentials } from '#features/credential/credential.ts';
import { deleteOldSends } from '#features/invite/invite.ts';
import { deleteOldCodes } from '#features/metrics-sign-in/metrics-sign-in.ts';
import { deleteUnclaimedAttachments } from '#features/ticket/ticket.ts';
import { forgetOldNotices } from '#features/usage/usage.ts';
import { forgetOldDeliveries } from '#features/webhook/webhook.ts';
import { deleteOldAnswers } from './job.sql.ts';

/** Removes what nobody can use any more. */
export const housekeeping = jobKind<Record<string, never>>({
  name: 'housekeeping',
  lane: 'background',
  async run(_payload, { services: { db } }) {
    await deleteOldAnswers(db);
    await deleteExpiredCredentials(db);
    await deleteOldCodes(db);
    await deleteOldSends(db);
    await deleteUnclaimedAttachments(db);
    await forgetOldDeliveries(db);
    await forgetOldNotices(db);
  },
});
