import type { Services } from '#core/services.ts';

/** The link's token is derived from the invite's id with the platform's key: nothing secret is stored. */
const PURPOSE = 'invite';
/** Of the link in the mail, which nobody else ever sees: whoever opens it reads the mail of that address. */
const MAILED = 'mailed invite';

export function inviteLink(services: Services, inviteId: string): string {
  return linkOf(services, PURPOSE, inviteId);
}

export function mailedInviteLink(services: Services, inviteId: string): string {
  return linkOf(services, MAILED, inviteId);
}

function linkOf({ config, secrets }: Services, purpose: string, inviteId: string): string {
  return `${config.baseUrl}/invite?token=${secrets.signId(purpose, inviteId)}`;
}

export function readInviteToken({ secrets }: Services, token: string): { id?: string | undefined; isMailed: boolean } {
  const mailed = secrets.readSignedId(MAILED, token);
  return { id: mailed ?? secrets.readSignedId(PURPOSE, token), isMailed: mailed !== undefined };
}
