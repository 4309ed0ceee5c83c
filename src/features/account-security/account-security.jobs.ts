import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';

export type FactorChange =
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'codes_renewed'
  | 'reset';

export const SENTENCES: Record<FactorChange, string> = {
  totp_added: 'An authenticator app was added to your account',
  totp_removed: 'The authenticator app was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  codes_renewed: 'New recovery codes were made for your account',
  reset: 'The platform removed the second factor of your account',
};

/** How somebody gets in is told to them each time it changes: it may have been another. */
export const mailFactorChange = jobKind<{ userId: string; change: FactorChange; at: string; from: string | null }>({
  name: 'account.mail_factor_change',
  lane: 'background',
  run: ({ userId, change, at, from }, { id, services }) =>
    mailPerson(services, {
      id,
      userId,
      letter: {
        subject: SENTENCES[change],
        blocks: [
          change === 'reset'
            ? 'An operator of the platform did so because somebody said that all ways in were lost. You are signed out everywhere, and your password alone lets you in now. Set up a second factor again.'
            : 'If it was you, there is nothing to do.',
          { facts: [['When', `${at.slice(0, 16).replace('T', ' ')} UTC`], ...(from ? [['From', from] as const] : [])] },
          ...(change === 'reset' ? ['If you did not ask for it, set a new password and write to us.'] : []),
          ...(change === 'reset' ? [] : ['If it was not you, set a new password and sign out everywhere else.']),
          { label: 'Review security', url: `${services.config.baseUrl}/account?tab=security` },
        ],
      },
    }),
});
