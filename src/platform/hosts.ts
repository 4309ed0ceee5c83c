import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Cluster, type PodCredentials, siteHostParts } from '#core/cluster.ts';
import type { Db } from '#core/db/database.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { opened, type Stop } from '#core/part.ts';
import { PLATFORM } from '#core/platform-door.ts';
import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import { findHome, findStorage, type SiteOnCluster } from '#features/cluster/cluster.ts';
import { findHostProcesses } from '#features/hold/hold.ts';
import { SiteInCluster } from '#host/cluster/site-in-cluster.ts';
import { HostAway, HostUnreachable } from '#host/host-unreachable.ts';
import { LocalHost } from '#host/local-host.ts';
import type { SiteHost } from '#host/site-host.ts';
import { siteHosts } from '#host/site-hosts.ts';
import { LogFiles } from '#host/site-log/log-files.ts';
import { dial } from '#host/wire/host-address.ts';
import { remoteHost } from '#host/wire/host-client.ts';
import { HostServer } from '#host/wire/host-server.ts';
import { type WireIdentity, wireIdentity } from '#host/wire/identity.ts';
import { Kubernetes } from '#integrations/kubernetes/kubernetes.ts';
import { shortFolder } from '#runtimes/folders/run-folder.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import type { QueueState } from '#timemachine/stores/store.ts';
import type { Config } from '../config.ts';
import { foreignStoreOf, type StoreAccess, storeAccess, storeOf } from './backup-store.ts';
import { createRuntime, type Drivers } from './drivers.ts';
import { lend } from './pod/backup-places.ts';

/** For so long addresses are believed without another look. */
const KNOWN_MS = 1_000;
/** So many sites on clusters are remembered. */
const KNOWN_SITES = 10_000;

/** What a host has of the platform's secrets. */
interface HostAccess {
  store: StoreAccess;
  /** What the passwords of sites' databases are made from. */
  databaseSecret: string;
}

/** Of a host that has the platform's key. */
export const hostAccess = (config: Config, secrets: Secrets): HostAccess => ({
  store: storeAccess(config, secrets),
  databaseSecret: secrets.deriveLasting('databases of sites'),
});

interface LocalHostOptions {
  config: Config;
  log: Log;
  outbound: Outbound;
  access: HostAccess;
  /** Drivers besides the product's. */
  drivers: Drivers;
}

/** The host of this process, where it has that role. */
export function createLocalHost({
  config,
  log,
  outbound,
  access: { store, databaseSecret },
  drivers,
}: LocalHostOptions): LocalHost | undefined {
  if (!config.roles.has('host')) return undefined;
  const { dataDir, newSites } = config;
  return new LocalHost({
    name: newSites.host,
    drivers: { [newSites.driver]: createRuntime({ config, log, outbound, databaseSecret }, drivers) },
    timeMachine: new TimeMachine({
      store: storeOf(config, store),
      processes: config.backupProcesses,
      onQueue: (queue, before) => tellQueue(log, queue, before),
    }),
    // What another host keeps is read where it is, and there is no way to it where all of it is in one place.
    otherMachine: (name, grant) =>
      config.areBackupsPerHost && name !== newSites.host
        ? new TimeMachine({ store: foreignStoreOf(config, store, name, grant), processes: 1 })
        : undefined,
    logs: new LogFiles(join(dataDir, 'logs'), log, config.siteLogDays),
    sharedCuts: join(dataDir, 'shared-cuts'),
    reserveBytes: config.restoreLeavesFreeBytes,
  });
}

function tellQueue(log: Log, queue: QueueState, before: QueueState): void {
  if (queue.trouble !== null && before.trouble === null)
    log.error(queue, 'the store of backups takes nothing; backups wait on this disk until it does');
  if (queue.trouble === null && before.trouble !== null) log.info(queue, 'the store of backups takes everything again');
}

/** Lets other processes in, and tells them where, for as long as it runs. */
export async function openDoor(
  { config, log }: Pick<Services, 'config' | 'log'>,
  { host, identity, announce }: { host: LocalHost; identity: WireIdentity; announce: () => Promise<void> },
): Promise<Stop> {
  const socket = `${randomBytes(6).toString('hex')}.sock`;
  const address = config.hostAddress ?? `unix:${join(shortFolder(join(config.dataDir, 'hosts')), socket)}`;
  const server = new HostServer({ host, address, identity, log });
  const stop = await opened(server);
  host.quietSince = () => server.quietSince;
  const tell = async (told: string | undefined) => {
    host.address = told;
    await announce();
  };
  await tell(address);
  return async () => {
    await tell(undefined).catch((error) => log.warn({ err: error }, 'could not say that the door is closed'));
    await stop();
  };
}

/** The clusters that this process may speak to. */
export function createClusters(config: Config, log: Log, secrets: Secrets): ReadonlyMap<string, Cluster> {
  const { clusters, sitePods, newSites } = config;
  const { wakeMs: _wakeMs, idleMs: _idleMs, ...pods } = sitePods;
  const made = [...clusters].map(([cluster, access]) => {
    const credentials = (host: string) => podCredentials(secrets, host);
    return [cluster, new Kubernetes({ ...pods, cluster, access, driver: newSites.driver, credentials, log })] as const;
  });
  return new Map(made);
}

/**
 * New ones each time: those of before stay good for whoever runs with them, and all of them speak for this one host. The authority's key
 * stays here.
 */
export function podCredentials({ deriveLasting }: Pick<Secrets, 'deriveLasting'>, host: string): PodCredentials {
  const { key, cert, ca } = wireIdentity(deriveLasting, host).tls;
  return { key, certificate: cert, authority: ca };
}

interface SiteHostsOptions {
  local: LocalHost | undefined;
  db: Db;
  secrets: Secrets;
  clusters: ReadonlyMap<string, Cluster>;
  /** Sees to what is due of a site that is being put to sleep (features/cluster). */
  settle(site: SiteOnCluster, end: () => Promise<void>): Promise<boolean>;
  wakeMs: number;
}

/**
 * All hosts: the one in this process without a detour, those of sites on clusters that we speak to, which are woken where they sleep, the
 * others where their processes say that they listen.
 */
export function createSiteHosts({ local, db, secrets, clusters, settle, wakeMs }: SiteHostsOptions): SiteHost {
  const identity = ownIdentity(secrets, local);
  const known = new Map<string, KnownHost>();
  const lookUp = async (name: string): Promise<SiteHost> => {
    const processes = await findHostProcesses(db, name);
    if (processes.length === 0) throw new HostAway(`no process of the platform has the host ${name}`);
    const addresses = processes.map(({ address }) => address);
    return remoteHost(name, addresses, identity);
  };
  const inClusters = new Map<string, SiteHost>();
  const findInCluster = (name: string): SiteHost | undefined => {
    const { cluster: place = '', siteId = '' } = siteHostParts(name) ?? {};
    const cluster = clusters.get(place);
    if (!cluster) return undefined;
    const before = inClusters.get(name);
    if (before) return before;
    const found = new SiteInCluster({
      name,
      siteId,
      cluster,
      processes: believed(() => findHostProcesses(db, name)),
      describe: () => findHome(db, siteId),
      lend: (keptBy) => lend(secrets, siteId, keptBy),
      measured: (id) => findStorage(db, id),
      reach: (addresses) => remoteHost(name, addresses, identity),
      async knock(addresses) {
        const socket = await dial(addresses, { name, tls: identity.tls });
        socket?.destroy();
        return socket !== undefined;
      },
      settle: (end) => settle({ host: name, siteId }, end),
      keeper: () => lookUp(place),
      wakeMs,
    }).host;
    if (inClusters.size >= KNOWN_SITES) inClusters.delete(inClusters.keys().next().value as string);
    inClusters.set(name, found);
    return found;
  };
  return siteHosts({
    async find(name) {
      if (name === local?.name) return local;
      const inCluster = findInCluster(name);
      if (inCluster) return inCluster;
      const before = known.get(name);
      if (before && performance.now() < before.untilMs) return before.host;
      // One look for all who ask meanwhile. While the database is away, hosts are taken to be where they were.
      const host = lookUp(name).catch((error) => {
        if (error instanceof HostUnreachable) throw error;
        if (before) return before.host;
        throw new HostAway(`it can not be seen where the host ${name} is: ${error.message}`);
      });
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

/** What was found is believed for a moment, and for longer while the database is away. */
function believed<T>(look: () => Promise<T[]>): () => Promise<T[]> {
  let found: T[] = [];
  let untilMs = 0;
  return async () => {
    if (performance.now() < untilMs) return found;
    try {
      found = await look();
    } catch (error) {
      if (found.length === 0) throw error;
    }
    // Nobody is waited for on the word of a moment ago.
    untilMs = found.length > 0 ? performance.now() + KNOWN_MS : 0;
    return found;
  };
}

interface KnownHost {
  host: Promise<SiteHost>;
  untilMs: number;
}

/** What the processes of one platform know one another by, also while some have the next key of the platform already. */
export const ownIdentity = (
  { deriveLasting }: Secrets,
  local: LocalHost | undefined,
): ReturnType<typeof wireIdentity> => wireIdentity(deriveLasting, local?.name ?? PLATFORM);
