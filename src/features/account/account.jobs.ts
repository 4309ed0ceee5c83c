import { jobKind } from '#core/jobs/jobs.ts';
import { type Block, writeLetter } from '#core/letter.ts';
import type { Services } from '#core/services.ts';
import { findMailedLink, type LinkPurpose } from './account.sql.ts';

/**
 * The token is derived when the mail is written, so the queue holds no secret. `resetLinkId` goes with a link to verify an
 * address: the mail may reach somebody who knows nothing of the account.
 */
export const mailLink = jobKind<{ linkId: string; resetLinkId?: string }>({
  name: 'account.mail_link',
  lane: 'background',
  async run({ linkId, resetLinkId }, { id, services }) {
    const link = await findMailedLink(services.db, linkId);
    if (!link) return;
    const purpose = link.purpose as LinkPurpose;
    const url = urlOf(services, purpose, linkId, link.is_verified);
    const resetUrl = resetLinkId && urlOf(services, 'password_reset', resetLinkId, link.is_verified);
    // Nothing that whoever registered wrote goes to an address that may be a stranger's.
    const firstName = link.is_verified ? link.first_name : undefined;
    const blocks = purpose === 'verify_email' ? toVerify(url, resetUrl, services) : toReset(url, link.is_verified);
    await services.mailer.send({
      id,
      to: link.email,
      ...writeLetter({ subject: SUBJECTS[purpose], firstName, blocks }),
    });
  },
});

const SUBJECTS: Record<LinkPurpose, string> = {
  verify_email: 'Confirm your email address',
  password_reset: 'Set a new password',
};

/** The page asks about what is in the account where its address was never confirmed; the database decides. */
function urlOf({ config, secrets }: Services, purpose: LinkPurpose, linkId: string, isVerified: boolean): string {
  const token = secrets.signId(purpose, linkId);
  if (purpose === 'verify_email') return `${config.baseUrl}/verify?token=${token}`;
  return `${config.baseUrl}/reset?token=${token}${isVerified ? '' : '&unconfirmed=1'}`;
}

function toVerify(url: string, resetUrl: string | undefined, { config }: Services): Block[] {
  return [
    `Somebody made an account at ${config.baseUrl} with this email address.`,
    'If it was you, please confirm that this is your address. The link works for three days.',
    { label: 'Confirm my address', url },
    'If it was not you, do not confirm it: whoever made the account has its password, and it would count as yours.',
    ...(resetUrl
      ? [
          'To make it your own, set a password of yours here. Everything that was made in your name goes.',
          { label: 'I did not make it: set my own password', url: resetUrl, isQuiet: true as const },
        ]
      : []),
    'If you do nothing, the account stays unconfirmed, and nobody is written to in your name.',
  ];
}

function toReset(url: string, isVerified: boolean): Block[] {
  return [
    'Somebody, hopefully you, asked to set a new password for your account. The link works once, for two hours.',
    { label: 'Set a new password', url },
    isVerified
      ? 'If this was not you, there is nothing to do.'
      : 'This address was never confirmed. If somebody else made the account in your name, the same link ends that: say so when you set the password, and everything made in your name goes.',
  ];
}
