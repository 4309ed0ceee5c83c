import { feature } from '../feature.ts';
import { listenForMail } from './listen-for-mail.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';

export const siteMailFeature = feature({
  name: 'site-mail',
  jobs: [deliverSiteMail],
  dueTimes: ['sites.mail_hour'],
  parts: [
    {
      name: 'the mail of running sites',
      stage: 'sites',
      roles: ['host'],
      async start(services) {
        const { db, jobs } = services;
        listenForMail(services, (siteId) => jobs.enqueueOnce(db, deliverSiteMail, { siteId }, siteId));
        return undefined;
      },
    },
  ],
});
