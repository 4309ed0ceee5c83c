import { HostUnreachable } from './host-unreachable.ts';
import type { SiteHost } from './site-host.ts';
import { hostCalls } from './wire/host-calls.ts';

/** Knows where hosts are. */
export interface HostDirectory {
  find(name: string): SiteHost | Promise<SiteHost>;
  /** It is not where it was. */
  forget(name: string): void;
}

/**
 * All the hosts as one: each call goes to the host that the site's row names, whether that is in this process or not. Whoever asks
 * knows the site, and nothing of where it is.
 */
export function siteHosts(directory: HostDirectory): SiteHost {
  const calls = ['start' as const, ...hostCalls].map((name) => {
    const pass = async (...args: unknown[]) => {
      const { host } = args[0] as { host: string };
      try {
        return await ((await directory.find(host))[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      } catch (error) {
        if (error instanceof HostUnreachable) directory.forget(host);
        throw error;
      }
    };
    return [name, pass];
  });
  return Object.fromEntries(calls);
}
