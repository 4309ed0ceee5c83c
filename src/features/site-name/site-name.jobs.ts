import { finishEvent } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { type HeldWork, onHeldSite, release } from '#features/hold/hold.ts';
import { findOwn, moveDatabase, nothing, siteUrl } from '#features/instance/instance.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { findTeam } from '#features/team/team.ts';

/** Moves a site that lost its name to the one that it has now: the row says so already, its database does not. */
export const leaveNameJob = jobKind<HeldWork>({
  name: 'site.leave_name',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { eventId } = payload;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    await onHeldSite(services, payload, () => moveDatabase(services, site, site.fqdn));
    await commit(async (tx) => {
      if (await release(tx, payload)) await finishEvent(tx, eventId, { result: { fqdn: site.fqdn } });
    });
  },
  async abandon(tx, payload) {
    const { eventId } = payload;
    await release(tx, payload);
    const failure = 'The addresses inside the site could not be rewritten; rename it to try again.';
    await finishEvent(tx, eventId, { failure });
  },
});

export const mailNameLost = jobKind<{ teamId: string; lost: string; fqdn: string }>({
  name: 'site.mail_name_lost',
  lane: 'background',
  async run({ teamId, lost, fqdn }, { id, services }) {
    const team = await findTeam(services.db, teamId);
    if (!team) return;
    await mailPerson(services, {
      id,
      userId: team.user_id,
      letter: {
        subject: `${lost} now leads to another site`,
        blocks: [
          `Another team on the platform proved with a DNS record that the domain ${lost} is theirs, and has it now.`,
          'Nothing of your site is lost. It goes on here.',
          { label: 'Open the site', url: siteUrl(services, fqdn) },
          `If the domain is yours, remove the TXT record _siteyard-challenge.${lost} from its zone and claim it in the same way.`,
        ],
      },
    });
  },
});
