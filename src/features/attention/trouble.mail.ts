import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import type { Trouble } from './trouble.sql.ts';

interface TroubleMail extends Pick<Trouble, 'kind' | 'name' | 'reason'> {
  fqdn: string;
  userId: string;
  since: string;
}

interface Words {
  subject: string;
  lead: string;
  advice: string;
  /** The page of the site that helps. */
  page: string;
  label: string;
}

/** `2026-03-04 05:06 UTC` */
const clock = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
const because = (reason: string | null) => (reason ? ` The last reason: ${reason}` : '');

const WORDS: Record<Trouble['kind'], (mail: TroubleMail) => Words> = {
  errors: ({ fqdn, since }) => ({
    subject: `${fqdn} fails for its visitors`,
    lead: `Every page of ${fqdn} that visitors asked for since ${clock(since)} ended with an error.`,
    advice:
      'The log tells what PHP said. The time machine finds the minute in which it broke, and goes back to before it.',
    page: 'logs',
    label: 'Open the log',
  }),
  backup: ({ fqdn, since, reason }) => ({
    subject: `${fqdn} has had no backup since ${clock(since)}`,
    lead: `The backups of ${fqdn} have failed since ${clock(since)}.${because(reason)}`,
    advice: 'The site itself goes on, and so do the tries. What changes meanwhile can not be gone back to.',
    page: 'time',
    label: 'Open the time machine',
  }),
  certificate: ({ name, fqdn, reason }) => ({
    subject: `${name} gets no certificate`,
    lead: `The platform has tried several times to get a certificate for ${name}, a domain of ${fqdn}.${because(reason)}`,
    advice:
      'Without a valid one, browsers warn visitors away. It is tried again by itself; most often a DNS record is in the way.',
    page: 'domains',
    label: 'Look at its DNS records',
  }),
};

export const mailTrouble = jobKind<TroubleMail>({
  name: 'attention.mail_trouble',
  lane: 'background',
  async run(mail, { id, services }) {
    const { subject, lead, advice, page, label } = WORDS[mail.kind](mail);
    await mailPerson(services, {
      id,
      userId: mail.userId,
      kind: mail.kind === 'backup' ? 'backups' : 'sites',
      letter: {
        subject,
        blocks: [lead, advice, { label, url: `${services.config.baseUrl}/sites/${mail.fqdn}/${page}` }],
      },
    });
  },
});
