import type { Services } from '#core/services.ts';

/** One certificate for all names right under a domain of the platform's own, where it can write into the zone of that. */

type Config = Services['config'];

/** Where the platform gives out names. */
export function ownDomains({ siteDomain, stageDomain }: Config): string[] {
  return [...new Set([siteDomain, stageDomain])];
}

export function wildcardDomains(config: Config): string[] {
  return config.acme?.zoneServer ? ownDomains(config) : [];
}

/** The certificate that a name has together with its neighbours; undefined where it gets one of its own. */
export function wildcardOf(config: Config, name: string): string | undefined {
  const domain = name.slice(name.indexOf('.') + 1);
  return wildcardDomains(config).includes(domain) ? `*.${domain}` : undefined;
}

export const isWildcard = (name: string) => name.startsWith('*.');

export const plainName = (name: string) => name.replace(/^\*\./, '');
