import { inTransaction } from '#core/db/database.ts';
import type { EventType } from '#core/events/event-types.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { recordSiteEvent } from '#features/instance/instance.ts';
import { mailTrouble } from './trouble.mail.ts';
import { type Trouble, takeTroubles } from './trouble.sql.ts';

const AT_ONCE = 50;

/** The first failed backup has its own event. */
const EVENTS: Partial<Record<Trouble['kind'], { type: EventType; activity: (trouble: Trouble) => string }>> = {
  errors: { type: 'site.failing', activity: ({ site }) => `${site.fqdn} fails for its visitors` },
  certificate: { type: 'domain.certificate_failing', activity: ({ name }) => `${name} gets no certificate` },
};

/** Tells the owners of sites what goes wrong for long, each trouble once. */
export const tellTroubles = jobKind<Record<string, never>>({
  name: 'attention.tell',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    await inTransaction(services.db, async (tx) => {
      for (const trouble of await takeTroubles(tx, AT_ONCE)) {
        const { site, kind, user_id: userId, name, reason, since } = trouble;
        const event = EVENTS[kind];
        if (event)
          await recordSiteEvent(tx, null, site, {
            event_type: event.type,
            activity: event.activity(trouble),
            detail: { since, ...(name && { name }), ...(reason && { reason }) },
          });
        const mail = { userId, kind, fqdn: site.fqdn, name, reason, since: since.toISOString() };
        await services.jobs.enqueue(tx, mailTrouble, mail);
      }
    });
  },
});
