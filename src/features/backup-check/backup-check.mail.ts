import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';

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
    await mailPerson(services, {
      id,
      userId,
      kind: 'backups',
      letter: {
        subject: `${fqdn}: restore points were damaged`,
        blocks: [
          `A check of the backups of ${fqdn} has found damage. ${description}`,
          'The site itself is not concerned, and new backups are taken as ever.',
          { label: 'Open the site', url: `${services.config.baseUrl}/sites/${fqdn}` },
        ],
      },
    });
  },
});
