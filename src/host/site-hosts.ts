import { siteHostParts } from '#core/cluster.ts';
import { isForKeeper } from './cluster/site-in-cluster.ts';
import { HostUnreachable } from './host-unreachable.ts';
import type { Place, SiteHost } from './site-host.ts';
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
      const first = args[0] as Place;
      const inCluster = siteHostParts(first.host);
      const host = inCluster && isForKeeper(name, first) ? inCluster.cluster : first.host;
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
