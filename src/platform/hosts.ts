import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Db } from '#core/db/database.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import type { Secrets } from '#core/secrets.ts';
import { findHostAddresses } from '#features/hold/hold.ts';
import { HostUnreachable } from '#host/host-unreachable.ts';
import { LocalHost } from '#host/local-host.ts';
import type { SiteHost } from '#host/site-host.ts';
import { siteHosts } from '#host/site-hosts.ts';
import { LogFiles } from '#host/site-log/log-files.ts';
import { remoteHost } from '#host/wire/host-client.ts';
import { createRuntime } from '#runtimes/drivers.ts';
import { shortFolder } from '#runtimes/folders/run-folder.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import type { Config } from '../config.ts';

/** For so long an address is believed. */
const KNOWN_MS = 1_000;

/** What the processes of one platform know one another by. */
export const hostToken = (secrets: Secrets): string => secrets.derive('host of sites');

/** The host of this process, where it has that role. */
export function createLocalHost(config: Config, log: Log, outbound: Outbound): LocalHost | undefined {
  if (!config.roles.has('host')) return undefined;
  const { dataDir, hostAddress, newSites } = config;
  return new LocalHost({
    name: newSites.host,
    address:
      hostAddress ??
      `unix:${join(shortFolder(join(dataDir, 'hosts')), `${process.pid}-${randomBytes(3).toString('hex')}.sock`)}`,
    drivers: { [newSites.driver]: createRuntime(config, log, outbound) },
    timeMachine: new TimeMachine({
      store: { kind: 'disk', folder: join(dataDir, 'backups') },
      processes: config.backupProcesses,
    }),
    logs: new LogFiles(join(dataDir, 'logs'), log),
  });
}

/** All hosts: the one in this process without a detour, the others where their processes say that they listen. */
export function createSiteHosts(local: LocalHost | undefined, db: Db, secrets: Secrets): SiteHost {
  const known = new Map<string, { host: SiteHost; untilMs: number }>();
  const token = hostToken(secrets);
  return siteHosts({
    async find(name) {
      if (name === local?.name) return local;
      const before = known.get(name);
      if (before && performance.now() < before.untilMs) return before.host;
      const [address] = await findHostAddresses(db, name);
      if (address === undefined) throw new HostUnreachable(`no process of the platform has the host ${name}`);
      const host = remoteHost(address, token);
      known.set(name, { host, untilMs: performance.now() + KNOWN_MS });
      return host;
    },
    forget: (name) => known.delete(name),
  });
}
