import { jobKind } from '#core/jobs/jobs.ts';
import { MailRefused } from '#core/mail.ts';
import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow } from './site.sql.ts';
import { DKIM_SELECTOR } from './site.view.ts';
import { keepMailWaiting, takeMailAllowance } from './site-upkeep.sql.ts';

/** People a site may write to within an hour; the rest waits for the next one. A single mail is never torn apart. */
const RECIPIENTS_PER_HOUR = 200;

/**
 * Sends what a site's WordPress wants mailed, signed with the site's own key. A mail leaves the outbox after it was
 * sent, so a kill in between sends that one twice: better than not at all. The lane keeps two of these from reading
 * the same outbox.
 */
export const deliverSiteMail = jobKind<{ siteId: string }>({
  name: 'site.mail',
  lane: 'upkeep',
  async run({ siteId }, { services }) {
    const { db, runtime, mailer, log } = services;
    const site = await findSiteById(db, siteId);
    if (!site) return;
    // The runtime hands out so many at once.
    for (let mails = await runtime.outgoingMail(siteId); mails.length > 0; mails = await runtime.outgoingMail(siteId)) {
      for (const { from, to, message, drop } of mails) {
        const allowance = { recipients: to.length, perHour: RECIPIENTS_PER_HOUR };
        if (!(await takeMailAllowance(db, siteId, allowance))) return keepMailWaiting(db, siteId);
        await mailer.sendRaw({ from, to, message, ...dkimOf(services, site) }).catch((error: unknown) => {
          if (!(error instanceof MailRefused)) throw error;
          // It would be refused again, and keep every later mail waiting.
          log.info({ err: error, siteId }, 'a mail of a site was refused for good');
        });
        await drop();
      }
    }
  },
  // The mail server was away for long; the mails are still there and the next hour tries them again.
  abandon: (tx, { siteId }) => keepMailWaiting(tx, siteId),
});

function dkimOf({ secrets }: Services, site: SiteRow) {
  if (!site.dkim_private_key_sealed) return {};
  const privateKey = secrets.open(site.dkim_private_key_sealed).toString();
  return { dkim: { domain: site.fqdn, selector: DKIM_SELECTOR, privateKey } };
}
