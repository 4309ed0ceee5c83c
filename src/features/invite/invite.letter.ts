import { type WrittenLetter, withoutLinks, writeLetter } from '#core/letter.ts';
import type { InviteRow } from './invite.sql.ts';

export type Invitation = Pick<InviteRow, 'first_name' | 'message' | 'role' | 'site_ids'> & {
  team_name: string;
  /** Null if the inviter's account was deleted. */
  inviter_name: string | null;
  /** A confirmed address, by which the reader knows who writes. */
  inviter_email: string | null;
};

/** The mail of an invite. It goes to a stranger in our name, so its only link is ours: no text of the inviter becomes one. */
export function inviteLetter(invite: Invitation, url: string): WrittenLetter {
  const { inviter_name, inviter_email, first_name, message, role, site_ids } = invite;
  const team = withoutLinks(invite.team_name);
  const inviter = inviter_name === null ? 'Somebody' : `${withoutLinks(inviter_name)} (${inviter_email})`;
  const sites = site_ids?.length;
  const where = sites ? ` for ${sites === 1 ? 'one of its sites' : `${sites} of its sites`}` : '';
  return writeLetter({
    subject: `Join ${team} on Siteyard`,
    firstName: first_name === null ? 'there' : withoutLinks(first_name),
    blocks: [
      `${inviter} invites you to join the team "${team}"${where} as ${role}.`,
      ...(message ? [{ quote: withoutLinks(message) }] : []),
      'Join here within 7 days, or leave this mail alone if you do not know them.',
      { label: 'Join the team', url },
    ],
  });
}
