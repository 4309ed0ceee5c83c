import { jobKind } from '#core/jobs/jobs.ts';
import { writeLetter } from '#core/letter.ts';
import { findEmailChange } from './email-change.sql.ts';

export const CONFIRM_PURPOSE = 'email_change';
export const REVERT_PURPOSE = 'email_revert';

/** To the new address, which may be a stranger's: it says nothing of whose account it is about. */
export const mailNewAddress = jobKind<{ changeId: string }>({
  name: 'account.mail_new_address',
  lane: 'background',
  async run({ changeId }, { id, services }) {
    const change = await findEmailChange(services.db, changeId);
    if (!change) return;
    const { baseUrl } = services.config;
    const letter = writeLetter({
      subject: 'Confirm your new email address',
      blocks: [
        `Somebody who has an account at ${baseUrl} wants to use this address for it. The link works for a day, for whoever is signed in to that account.`,
        {
          label: 'Use this address',
          url: `${baseUrl}/email?token=${services.secrets.signId(CONFIRM_PURPOSE, changeId)}`,
        },
        'If it was not you, there is nothing to do: the link serves nobody else.',
      ],
    });
    await services.mailer.send({ id, to: change.new_email, ...letter });
  },
});

/** To the address of before, with the way back. */
export const mailOldAddress = jobKind<{ changeId: string }>({
  name: 'account.mail_old_address',
  lane: 'background',
  async run({ changeId }, { id, services }) {
    const change = await findEmailChange(services.db, changeId);
    if (!change) return;
    const url = `${services.config.baseUrl}/email/back?token=${services.secrets.signId(REVERT_PURPOSE, changeId)}`;
    const letter = writeLetter({
      subject: 'Your email address was changed',
      blocks: [
        'Your account has another email address now. This one is written to no more.',
        {
          facts: [
            ['Before', change.old_email],
            ['Now', change.new_email],
          ],
        },
        'If it was you, there is nothing to do. If it was not, take it back within seven days: the account gets this address again, everybody is signed out, and you set a new password.',
        { label: 'It was not me: take it back', url },
      ],
    });
    await services.mailer.send({ id, to: change.old_email, ...letter });
  },
});
