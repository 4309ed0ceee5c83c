import type { SiteHost } from './site-host.ts';
import { hostCalls } from './wire/host-calls.ts';

/**
 * All the hosts as one: each call goes to the host that the site's row names, whether that is in this process or not. Whoever asks
 * knows the site, and nothing of where it is.
 */
export function siteHosts(hostOf: (name: string) => SiteHost | Promise<SiteHost>): SiteHost {
  const calls = ['start' as const, ...hostCalls].map((name) => {
    const pass = async (...args: unknown[]) => {
      const { host } = args[0] as { host: string };
      return ((await hostOf(host))[name] as (...args: unknown[]) => unknown)(...args);
    };
    return [name, pass];
  });
  return Object.fromEntries(calls);
}
