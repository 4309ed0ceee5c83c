import { jobKind } from '#core/jobs/jobs.ts';
import { findUser } from '#features/user/user.ts';

interface DamageMail {
  userId: string;
  siteId: string;
  fqdn: string;
  description: string;
}

/** To whoever has the team: what is lost is theirs. */
export const mailDamage = jobKind<DamageMail>({
  name: 'backup.mail_damage',
  lane: 'background',
  async run({ userId, fqdn, description }, { id, services }) {
    const { email, first_name } = await findUser(services.db, userId);
    const text = `Hello ${first_name},\n\na check of the backups of ${fqdn} has found damage. ${description}\n\nThe site itself is not concerned, and new backups are taken as ever:\n\n${services.config.baseUrl}/sites/${fqdn}\n`;
    await services.mailer.send({ id, to: email, subject: `${fqdn}: restore points were damaged`, text });
  },
});
