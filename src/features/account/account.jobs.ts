import { jobKind } from '#core/jobs/jobs.ts';
import { findMailedLink, type LinkPurpose } from './account.sql.ts';

const TEXTS: Record<LinkPurpose, { subject: string; path: string; lead: string }> = {
  verify_email: {
    subject: 'Confirm your email address',
    path: '/verify',
    lead: 'please confirm that this is your email address:',
  },
  password_reset: {
    subject: 'Set a new password',
    path: '/reset',
    lead: 'somebody, hopefully you, asked to set a new password for your account. The link works once, for two hours:',
  },
};

/** The token is derived when the mail is written, so the queue holds no secret. */
export const mailLink = jobKind<{ linkId: string }>({
  name: 'account.mail_link',
  lane: 'background',
  async run({ linkId }, { id, services }) {
    const link = await findMailedLink(services.db, linkId);
    if (!link) return;
    const purpose = link.purpose as LinkPurpose;
    const { subject, path, lead } = TEXTS[purpose];
    const url = `${services.config.baseUrl}${path}?token=${services.secrets.signId(purpose, linkId)}`;
    const text = `Hello ${link.first_name},\n\n${lead}\n\n${url}\n\nIf this was not you, there is nothing to do.\n`;
    await services.mailer.send({ id, to: link.email, subject, text });
  },
});
