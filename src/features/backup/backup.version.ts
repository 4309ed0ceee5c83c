import type { Services } from '#core/services.ts';
import { isRef, type Ref } from '#timemachine/content.ts';

const purposeOf = (siteId: string) => `version of a file of site ${siteId}`;

/**
 * Names a file's content for one site: the content's name in the store, and a signature, so that nobody reads by a name that
 * they were not given for this very site. Sites of one space share a store, and a site can move to another team.
 */
export function signVersion({ secrets }: Pick<Services, 'secrets'>, siteId: string, ref: Ref): string {
  return `${ref}.${secrets.sign(purposeOf(siteId), ref)}`;
}

/** Undefined for what was not given out for this site. */
export function readVersion({ secrets }: Pick<Services, 'secrets'>, siteId: string, version: string): Ref | undefined {
  const [ref = '', signature = ''] = version.split('.');
  return isRef(ref) && secrets.isSigned(purposeOf(siteId), ref, signature) ? ref : undefined;
}
