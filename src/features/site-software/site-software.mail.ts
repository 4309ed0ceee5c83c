import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { findTeam } from '#features/team/team.ts';

interface TakenBack {
  siteId: string;
  fqdn: string;
  teamId: string;
  failure: string;
  /** It was never made, in as many nights as it is tried. */
  isRefused?: boolean;
}

/** Nobody was there when the update was made, or was not, so its owner is told. */
export const mailTakenBack = jobKind<TakenBack>({
  name: 'software.mail_taken_back',
  lane: 'background',
  async run({ fqdn, teamId, failure, isRefused = false }, { id, services }) {
    const team = await findTeam(services.db, teamId);
    if (!team) return;
    const lead = isRefused
      ? `An update of ${fqdn} was to be made by itself for some nights. ${failure}`
      : `An update of ${fqdn} was made by itself in the night, and did not stay: ${failure}`;
    const url = `${services.config.baseUrl}/sites/${fqdn}/plugins`;
    const letter = {
      subject: `${fqdn}: an update ${isRefused ? 'could not be made' : 'was rolled back'}`,
      blocks: [
        lead,
        `${isRefused ? 'Your site works as before' : 'Your site is as it was before'}, and this version is not tried again by itself.`,
        { label: 'What there is to update', url },
      ],
    };
    await mailPerson(services, { id, userId: team.user_id, kind: 'updates', letter });
  },
});
