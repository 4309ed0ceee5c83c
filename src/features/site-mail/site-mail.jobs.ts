import { jobKind } from '#core/jobs/jobs.ts';
import { MailRefused } from '#core/mail.ts';
import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import type { WaitingMail } from '#host/site-host.ts';
import { DKIM_SELECTOR } from './dkim.ts';
import { holdMails } from './held-mail.ts';
import { mailOwnerOf, type SigningOwner } from './mail-owner.ts';
import { asMailOf } from './sender.ts';
import { countMail, keepMailWaiting, mayMail } from './site-mail.sql.ts';

/** People a site may write to within an hour; the rest waits for the next one. A single mail is never torn apart. */
const RECIPIENTS_PER_HOUR = 200;
/** Whoever waited for a mail has given up on it by then. */
const MAX_AGE_MS = 3 * 86_400_000;
/** A mail server that answers nobody would keep this job, and with it the lane, for as long as there is mail. */
const PATIENCE_MS = 60_000;

/**
 * Sends what a site's WordPress wants mailed, signed with the site's own key. A mail leaves the outbox after it was
 * sent, so a kill in between sends that one twice: better than not at all. One that can not be sent for the moment stays,
 * and those behind it are sent all the same. The lane keeps two of these from reading the same outbox.
 */
export const deliverSiteMail = jobKind<{ siteId: string }>({
  name: 'site.mail',
  lane: 'upkeep',
  async run({ siteId }, { services }) {
    const { db, hosts, log } = services;
    const site = await findSiteById(db, siteId);
    if (site?.kind === 'stage') return holdMails(services, site);
    // A preview mails nobody.
    if (site?.kind !== 'live') return;
    let failed: { error: unknown } | undefined;
    let failingMs = 0;
    let mustWait = false;
    let owner: SigningOwner | undefined;
    await hosts.eachMail(site, async (mail) => {
      const beganAt = performance.now();
      if (mail.writtenAt.getTime() < Date.now() - MAX_AGE_MS) {
        log.warn({ siteId, writtenAt: mail.writtenAt }, 'a mail of a site could not be sent for days and was dropped');
        return 'drop';
      }
      mustWait = !(await mayMail(db, siteId, RECIPIENTS_PER_HOUR));
      if (mustWait) return 'stop';
      try {
        owner ??= await mailOwnerOf(services, site);
        await send(services, site, owner, mail);
        return 'drop';
      } catch (error) {
        failed ??= { error };
        failingMs += performance.now() - beganAt;
        return failingMs > PATIENCE_MS ? 'stop' : 'keep';
      }
    });
    if (mustWait) return keepMailWaiting(db, siteId);
    // What stayed is tried again a little later.
    if (failed) throw failed.error;
  },
  // The mail server was away for long; the mails are still there and the next hour tries them again.
  abandon: (tx, { siteId }) => keepMailWaiting(tx, siteId),
});

async function send(services: Services, site: SiteRow, owner: SigningOwner, mail: WaitingMail): Promise<void> {
  const { db, mailer, log, secrets } = services;
  const { to } = mail;
  const { sender: from, signsFor } = owner;
  const privateKey = site.dkim_private_key_sealed && secrets.open(site.dkim_private_key_sealed).toString();
  const message = asMailOf(mail.message, owner);
  const dkim = privateKey && signsFor && { domain: signsFor, selector: DKIM_SELECTOR, privateKey };
  try {
    if (!message) throw new MailRefused('its header is as no mail has one');
    await mailer.sendRaw({ from, to, message, ...(dkim && { dkim }) });
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    // It would be refused again. It counts all the same: guessing addresses must not be free.
    log.info({ err: error, siteId: site.id }, 'a mail of a site was refused for good');
  }
  await countMail(db, site.id, to.length);
}
