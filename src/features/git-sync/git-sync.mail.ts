import { jobKind } from '#core/jobs/jobs.ts';
import { mailPerson } from '#features/notification/notification.ts';
import { findTeam } from '#features/team/team.ts';

interface DeployTakenBack {
  teamId: string;
  fqdn: string;
  commit: string;
  subject: string;
  failure: string;
}

/** Whoever pushed waits for no answer from here, so the owner is told. A commit is deployed once, and so is this. */
export const mailDeployTakenBack = jobKind<DeployTakenBack>({
  name: 'git.mail_taken_back',
  lane: 'background',
  async run({ teamId, fqdn, commit, subject, failure }, { id, services }) {
    const team = await findTeam(services.db, teamId);
    if (!team) return;
    await mailPerson(services, {
      id,
      userId: team.user_id,
      kind: 'updates',
      letter: {
        subject: `${fqdn}: a deploy was rolled back`,
        blocks: [
          `The commit ${commit.slice(0, 10)} (${subject}) was deployed to ${fqdn}, and did not stay. ${failure}`,
          'Your site is as it was before. The next commit of the branch is deployed again.',
          { label: 'Look at its deploys', url: `${services.config.baseUrl}/sites/${fqdn}/git` },
        ],
      },
    });
  },
});
