import { isIP } from 'node:net';

/** Spellings of hosts that are remembered; beyond it they are read again. */
const REMEMBERED = 10_000;
/** A name has 253 letters; a header may have thousands, and whoever sends such ones would have us remember them all. */
export const LONGEST_HOST = 300;

/**
 * The platform answers on its own names alone; any other host is a site. An address is never a site's name, so health
 * checks that dial one reach the platform, and a platform on loopback has all of loopback's names.
 */
export function platformHosts(baseUrl: string): (host: string | undefined) => boolean {
  const own = new URL(baseUrl).hostname;
  const names = new Set(['localhost', '127.0.0.1'].includes(own) ? [own, 'localhost'] : [own]);
  // Every request asks, and nearly all ask the same.
  const known = new Map<string, boolean>();
  return (host) => {
    if (host === undefined) return true;
    if (host.length > LONGEST_HOST) return false;
    let isPlatform = known.get(host);
    if (isPlatform === undefined) {
      const name = host.replace(/:\d+$/, '').toLowerCase().replace(/\.$/, '');
      isPlatform = names.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
      if (known.size >= REMEMBERED) known.clear();
      known.set(host, isPlatform);
    }
    return isPlatform;
  };
}
