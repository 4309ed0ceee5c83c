import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { inviteLetter } from './invite.letter.ts';
import { mailedInviteLink } from './invite.link.ts';
import { findInvitation } from './invite.sql.ts';

export const mailInvite = jobKind<{ inviteId: string; eventId: string }>({
  name: 'invite.mail',
  lane: 'background',
  async run({ inviteId, eventId }, { id, services, commit }) {
    const invite = await findInvitation(services.db, inviteId);
    // Withdrawn before it was sent: there is nobody to write to.
    if (!invite) return commit((tx) => finishEvent(tx, eventId, { mailed: false }, WITHDRAWN));
    const letter = inviteLetter(invite, mailedInviteLink(services, invite));
    await services.mailer.send({ id, to: invite.target_email, ...letter });
    await commit((tx) => finishEvent(tx, eventId, { mailed: true }));
  },
  // The mail server's words are for the operator, who finds them with the failed job.
  abandon: (db, { eventId }) => finishEvent(db, eventId, { mailed: false }, NOT_MAILED),
});

const WITHDRAWN = 'The invite was withdrawn before its mail was sent.';
const NOT_MAILED = 'The mail could not be delivered; pass the link of the invite on yourself.';
