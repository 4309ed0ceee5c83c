import { jobKind } from '#core/jobs/jobs.ts';
import { findTeam } from '#features/team/team.ts';
import { findUser } from '#features/user/user.ts';

interface TakenBack {
  siteId: string;
  fqdn: string;
  teamId: string;
  failure: string;
}

/** Nobody was there when the update was made, so its owner is told. */
export const mailTakenBack = jobKind<TakenBack>({
  name: 'software.mail_taken_back',
  lane: 'background',
  async run({ fqdn, teamId, failure }, { id, services }) {
    const team = await findTeam(services.db, teamId);
    if (!team) return;
    const { email, first_name } = await findUser(services.db, team.user_id);
    const lead = `an update of ${fqdn} was made by itself in the night, and did not stay: ${failure}`;
    const text = `Hello ${first_name},\n\n${lead}\n\nYour site is as it was before, and this version is not tried again by itself. What there is to update:\n\n${services.config.baseUrl}/sites/${fqdn}/plugins\n`;
    await services.mailer.send({ id, to: email, subject: `${fqdn}: an update was taken back`, text });
  },
});
