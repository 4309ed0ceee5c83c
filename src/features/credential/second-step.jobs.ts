import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';

/** Whoever came as far has the password. */
export const mailGuesses = jobKind<{ userId: string }>({
  name: 'credential.mail_guesses',
  lane: 'background',
  run: ({ userId }, { id, services }) =>
    mailPerson(services, {
      id,
      userId,
      letter: {
        subject: 'Somebody knows your password',
        blocks: [
          'Somebody signed in with your password and then tried one wrong code after the other. They did not get in, and codes are refused for an hour.',
          'If it was not you, set a new password now. You can sign in meanwhile with a passkey or a recovery code.',
          { label: 'Set a new password', url: `${services.config.baseUrl}/reset` },
        ],
      },
    }),
});
