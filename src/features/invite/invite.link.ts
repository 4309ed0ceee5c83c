import type { Services } from '#core/services.ts';
import type { InviteRow } from './invite.sql.ts';

/** The link's token is derived from the invite's id with the platform's key: nothing secret is stored. */
const PURPOSE = 'invite';
/** Of the link in the mail, which nobody else ever sees: whoever opens it reads the mail of that address. */
const MAILED = 'mailed invite';

/** Of an invite for some sites alone: a process that knows only invites for the whole team does not take it for one. */
const FOR_SITES = ' for sites';

type Linked = Pick<InviteRow, 'id' | 'site_ids'>;

export function inviteLink(services: Services, invite: Linked): string {
  return linkOf(services, PURPOSE, invite);
}

export function mailedInviteLink(services: Services, invite: Linked): string {
  return linkOf(services, MAILED, invite);
}

function linkOf({ config, secrets }: Services, purpose: string, { id, site_ids }: Linked): string {
  return `${config.baseUrl}/invite?token=${secrets.signId(site_ids ? purpose + FOR_SITES : purpose, id)}`;
}

export function readInviteToken({ secrets }: Services, token: string): { id?: string | undefined; isMailed: boolean } {
  const read = (purpose: string) =>
    secrets.readSignedId(purpose, token) ?? secrets.readSignedId(purpose + FOR_SITES, token);
  const mailed = read(MAILED);
  return { id: mailed ?? read(PURPOSE), isMailed: mailed !== undefined };
}
