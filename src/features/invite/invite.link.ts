import type { Services } from '#core/services.ts';

/** The link's token is derived from the invite's id with the platform's key: nothing secret is stored. */
const PURPOSE = 'invite';

export function inviteLink(services: Services, inviteId: string): string {
  return `${services.config.baseUrl}/invite?token=${services.secrets.signId(PURPOSE, inviteId)}`;
}

export function readInviteToken(services: Services, token: string): string | undefined {
  return services.secrets.readSignedId(PURPOSE, token);
}
