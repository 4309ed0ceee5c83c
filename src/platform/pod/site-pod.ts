import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeFolderDurably } from '#core/durable-folder.ts';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { opened, type Stop } from '#core/part.ts';
import type { PlatformDoor } from '#core/platform-door.ts';
import { SiteChanges } from '#core/site-changes.ts';
import { Edge } from '#edge/edge.ts';
import { listenToTouches } from '#features/backup-clock/backup-clock.ts';
import { endClosedEditors } from '#features/code-editor/end-closed.ts';
import { thisProcess } from '#features/hold/hold.ts';
import { watchHolds } from '#features/hold/watch-holds.ts';
import { stopRetiredSites } from '#features/instance/instance.ts';
import { listenToSites } from '#features/instance/told-by-sites.ts';
import { listenForMail } from '#features/site-mail/listen-for-mail.ts';
import { watchRooms } from '#features/site-upkeep/site-room.ts';
import type { LocalHost } from '#host/local-host.ts';
import { SiteLog } from '#host/site-log/site-log.ts';
import type { Config } from '../../config.ts';
import type { StoreAccess } from '../backup-store.ts';
import type { Drivers } from '../drivers.ts';
import { createLocalHost, openDoor } from '../hosts.ts';
import { hostReading, writeReadings } from '../readings.ts';
import { PlatformClient } from './platform-client.ts';
import type { Welcome } from './pod-calls.ts';

export interface SitePod {
  url: string;
  log: ReturnType<typeof createLog>;
  host: LocalHost;
  stop(): Promise<void>;
}

/**
 * The program in the pod of a site on a cluster (docs/decisions/0068): the host of that one site, without a database and without the
 * platform's key. What other hosts find in the database it asks of the platform, which knows it by its certificate. The order is that of the
 * stages of parts: who has the site, what runs it, who is let in. `drivers`: those besides the product's.
 */
export async function startSitePod(config: Config, door: PlatformDoor, drivers: Drivers = {}): Promise<SitePod> {
  const log = createLog(config.logLevel);
  const stops: Stop[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    return { ...(await start({ config, door, drivers, log, stops })), log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface PodOptions {
  config: Config;
  door: PlatformDoor;
  drivers: Drivers;
  log: SitePod['log'];
  stops: Stop[];
}

async function start({ config, door, drivers, log, stops }: PodOptions) {
  await makeFolderDurably(config.dataDir, 0o711);
  const platform = new PlatformClient(door, log);
  stops.push(() => platform.close());
  const welcome = await platform.ask('hello', {});
  const outbound = new Outbound({ allow: config.outboundAllow, dnsServers: config.dnsServers });
  const access = { store: storeAccess(config, door, welcome), databaseSecret: welcome.databaseSecret };
  const localHost = createLocalHost({ config, log, outbound, access, drivers }) as LocalHost;
  const siteLog = new SiteLog(platform.log, log);
  stops.push(() => siteLog.close());
  siteLog.start();
  const siteChanges = new SiteChanges();
  const pod = { processId: randomUUID(), config, log, localHost, siteLog, siteChanges };
  let isComplete = false;
  const health = await serveHealth(config, () => isComplete && platform.isHeard);
  stops.push(health.stop);

  // A cluster starts this pod when the one before is gone: nobody has to wait until that is known by its silence.
  stops.push(await watchHolds(pod, platform.holds));
  await platform.ask('succeed', { id: pod.processId });
  stops.push(await opened(localHost));
  const routes = platform.routes(siteChanges);
  await stopRetiredSites(pod, localHost, routes);
  stops.push(await listenToTouches(pod, platform.touches));
  listenForMail(pod, (siteId) => platform.ask('mail', { siteId }));
  listenToSites(pod, platform.told);
  await endClosedEditors(pod, (siteId) => platform.ask('editorIsOpen', { siteId }));
  stops.push(
    await watchRooms(pod, {
      storageOf: (siteIds) => platform.ask('storage', { siteIds }),
      async measure(siteId) {
        const bytes = await localHost.diskUsageBytes({ id: siteId, ...placeOf(config) });
        await platform.ask('measured', { siteId, bytes });
      },
    }),
  );
  await restoreLostSites(platform, localHost, pod.processId, config);
  stops.push(await answerOwnCalls(pod, platform, routes, outbound));
  const read = async () => {
    const { name: _name, ...host } = await hostReading(localHost, config.dataDir);
    await platform.ask('reading', { processId: pod.processId, host });
  };
  stops.push(writeReadings(read, log));
  const identity = { token: undefined, tls: { ...door.tls, minVersion: 'TLSv1.3' as const } };
  const announce = () => platform.holds.announce(thisProcess(pod));
  stops.push(await openDoor(pod, { host: localHost, identity, announce }));
  stops.push(async () => {
    platform.isLeaving = true;
  });
  isComplete = true;
  return { url: health.url, host: localHost };
}

/** The pod has no keys of the bucket and none that anything is sealed with: its platform signs and opens one object at a time. */
function storeAccess(config: Config, door: PlatformDoor, { backupOwner }: Welcome): StoreAccess {
  const { backupStore, areBackupsSealed } = config;
  const seal = { door, isOn: areBackupsSealed };
  if (backupStore.kind === 'disk') return { place: backupStore, seal, owner: backupOwner };
  const { endpoint, region, bucket, prefix } = backupStore.account;
  return { place: { kind: 's3', account: { endpoint, region, bucket, prefix, door } }, seal, owner: backupOwner };
}

const placeOf = ({ newSites }: Config) => ({ host: newSites.host, driver: newSites.driver });

/** Before anybody is let in, so that nothing of an empty site is ever served. */
async function restoreLostSites(
  platform: PlatformClient,
  host: LocalHost,
  processId: string,
  config: Config,
): Promise<void> {
  const present = await host.list(placeOf(config));
  for (const { space, ...site } of await platform.ask('lostSites', { present })) {
    const kept = space === null ? [] : await host.keptSnapshots(site, space);
    await platform.ask('restoreLost', { siteId: site.id, processId, kept });
  }
}

/** What the site asks of itself is answered here, and nobody else is. WordPress' own files are here as well. */
async function answerOwnCalls(
  { config, log, localHost, siteLog }: { config: Config; log: SitePod['log']; localHost: LocalHost; siteLog: SiteLog },
  platform: PlatformClient,
  routes: ReturnType<PlatformClient['routes']>,
  outbound: Outbound,
): Promise<Stop> {
  const { trustProxy, baseUrl, hstsSeconds } = config;
  const reports = platform.reports(siteLog);
  const edge = new Edge({ routes, reports, host: localHost, outbound, trustProxy, baseUrl, hstsSeconds, log });
  localHost.answerOwnCalls((siteId, connection) => edge.answerOwnCalls(siteId, connection));
  platform.onPurged((siteId) => edge.purge(siteId));
  return opened({ open: () => edge.start(), close: () => edge.close() });
}

/** For the kubelet, and nobody else. */
async function serveHealth({ host, port }: Config, isReady: () => boolean): Promise<{ url: string; stop: Stop }> {
  const server = createServer((request, response) => {
    const known: Record<string, boolean> = { '/healthz': true, '/readyz': isReady() };
    const isWell = known[request.url ?? ''];
    response.writeHead(isWell ? 200 : isWell === undefined ? 404 : 503).end();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, stop };
}
