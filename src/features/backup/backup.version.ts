import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '#core/services.ts';
import { isRef, type Ref } from '#timemachine/content.ts';

const MAC_LENGTH = 22;

/**
 * Names a file's content for one site: the content's name in the store, and a signature, so that nobody reads by a name that
 * they were not given for this very site. Sites of one space share a store, and a site can move to another team.
 */
export function signVersion({ secrets }: Pick<Services, 'secrets'>, siteId: string, ref: Ref): string {
  return `${ref}.${macOf(secrets, siteId, ref)}`;
}

/** Undefined for what was not given out for this site. */
export function readVersion({ secrets }: Pick<Services, 'secrets'>, siteId: string, version: string): Ref | undefined {
  const ref = version.slice(0, -MAC_LENGTH - 1);
  if (!isRef(ref)) return undefined;
  const [given, right] = [version, `${ref}.${macOf(secrets, siteId, ref)}`].map((text) => Buffer.from(text));
  return given && right && given.length === right.length && timingSafeEqual(given, right) ? ref : undefined;
}

function macOf(secrets: Services['secrets'], siteId: string, ref: Ref): string {
  const key = secrets.derive('versions of files');
  return createHmac('sha256', key).update(`${siteId} ${ref}`).digest('base64url').slice(0, MAC_LENGTH);
}
