import type { Services } from '#core/services.ts';
import type { Place } from '#host/site-host.ts';

/** The WordPress of that time may be gone from this machine; then it is the newest one. */
export async function withKeptVersion<T extends Place & { core_version: string | null }>(
  { hosts }: Pick<Services, 'hosts'>,
  copy: T,
): Promise<T> {
  const versions = await hosts.coreVersions(copy);
  return versions.includes(copy.core_version ?? '') ? copy : { ...copy, core_version: versions[0] ?? '' };
}
