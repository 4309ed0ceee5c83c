import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Db } from '#core/db/database.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { opened, type Stop } from '#core/part.ts';
import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import { announceProcess, findHostAddresses } from '#features/hold/hold.ts';
import { HostAway, HostUnreachable } from '#host/host-unreachable.ts';
import { LocalHost } from '#host/local-host.ts';
import type { SiteHost } from '#host/site-host.ts';
import { siteHosts } from '#host/site-hosts.ts';
import { LogFiles } from '#host/site-log/log-files.ts';
import { remoteHost } from '#host/wire/host-client.ts';
import { HostServer } from '#host/wire/host-server.ts';
import { shortFolder } from '#runtimes/folders/run-folder.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import type { StoreDescription } from '#timemachine/stores/open-store.ts';
import type { QueueState } from '#timemachine/stores/store.ts';
import type { Config } from '../config.ts';
import { createRuntime } from './drivers.ts';

/** For so long addresses are believed without another look. */
const KNOWN_MS = 1_000;

/** The host of this process, where it has that role. */
export function createLocalHost(config: Config, log: Log, outbound: Outbound, secrets: Secrets): LocalHost | undefined {
  if (!config.roles.has('host')) return undefined;
  const { dataDir, newSites } = config;
  return new LocalHost({
    name: newSites.host,
    drivers: { [newSites.driver]: createRuntime(config, log, outbound, secrets) },
    timeMachine: new TimeMachine({
      store: storeOf(config, secrets),
      processes: config.backupProcesses,
      onQueue: (queue, before) => tellQueue(log, queue, before),
    }),
    logs: new LogFiles(join(dataDir, 'logs'), log, config.siteLogDays),
    sharedCuts: join(dataDir, 'shared-cuts'),
    reserveBytes: config.restoreLeavesFreeBytes,
  });
}

/** Its key lasts: what is sealed with it outlives every change of the platform's own. */
function storeOf(config: Config, { deriveLasting }: Secrets): StoreDescription {
  const { dataDir, newSites, backupStore, backupQueue, areBackupsSealed } = config;
  const key = Buffer.from(deriveLasting('backup store'), 'base64url').toString('base64');
  const seal = { key, isOn: areBackupsSealed };
  if (backupStore.kind === 'disk') return { ...backupStore, seal };
  const owner = `${newSites.host} ${deriveLasting(`backup store of ${newSites.host}`)}`;
  return { ...backupStore, seal, queue: { ...backupQueue, folder: join(dataDir, 'backup-queue'), owner } };
}

function tellQueue(log: Log, queue: QueueState, before: QueueState): void {
  if (queue.trouble !== null && before.trouble === null)
    log.error(queue, 'the store of backups takes nothing; backups wait on this disk until it does');
  if (queue.trouble === null && before.trouble !== null) log.info(queue, 'the store of backups takes everything again');
}

/** Lets other processes in, and tells them where, for as long as it runs. */
export async function openDoor(services: Services, host: LocalHost): Promise<Stop> {
  const { config, secrets, log } = services;
  const socket = `${randomBytes(6).toString('hex')}.sock`;
  const address = config.hostAddress ?? `unix:${join(shortFolder(join(config.dataDir, 'hosts')), socket)}`;
  const stop = await opened(new HostServer({ host, address, token: tokenOf(secrets), log }));
  const tell = async (told: string | undefined) => {
    host.address = told;
    await announceProcess(services);
  };
  await tell(address);
  return async () => {
    await tell(undefined).catch((error) => log.warn({ err: error }, 'could not say that the door is closed'));
    await stop();
  };
}

/** All hosts: the one in this process without a detour, the others where their processes say that they listen. */
export function createSiteHosts(local: LocalHost | undefined, db: Db, secrets: Secrets): SiteHost {
  const known = new Map<string, KnownHost>();
  const lookUp = async (name: string): Promise<SiteHost> => {
    const addresses = await findHostAddresses(db, name);
    if (addresses.length === 0) throw new HostAway(`no process of the platform has the host ${name}`);
    return remoteHost(addresses, tokenOf(secrets));
  };
  return siteHosts({
    async find(name) {
      if (name === local?.name) return local;
      const before = known.get(name);
      if (before && performance.now() < before.untilMs) return before.host;
      // One look for all who ask meanwhile. While the database is away, hosts are taken to be where they were.
      const host = lookUp(name).catch((error) =>
        before && !(error instanceof HostUnreachable) ? before.host : Promise.reject(error),
      );
      known.set(name, { host, untilMs: performance.now() + KNOWN_MS });
      host.catch(() => known.delete(name));
      return host;
    },
    forget: (name) => {
      const before = known.get(name);
      if (before) before.untilMs = 0;
    },
  });
}

interface KnownHost {
  host: Promise<SiteHost>;
  untilMs: number;
}

/** What the processes of one platform know one another by, also while some have the next key of the platform already. */
const tokenOf = (secrets: Secrets): string => secrets.deriveLasting('host of sites');
