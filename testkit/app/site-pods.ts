import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { siteHostName } from '#core/cluster.ts';
import type { PlatformDoor } from '#core/platform-door.ts';
import { podCredentials } from '../../src/platform/hosts.ts';
import { type SitePod, startSitePod } from '../../src/platform/pod/site-pod.ts';
import { type Platform, startPlatform } from '../../src/platform.ts';
import { memoryDriver } from '../drivers/memory/memory-driver.ts';
import { freePort } from '../free-port.ts';
import { readTestConfig, type TestApp } from './test-app.ts';

/**
 * What the machines of a cluster do, on this one: each pod of a site is the real program with the role `host`, with a folder as its volume
 * and a port of its own, and speaks the real wire. It has neither the database nor the platform's key; the keeper has both.
 */
export class SitePods {
  readonly #app: TestApp;
  readonly #cluster: string;
  readonly #folder: string;
  readonly #pods = new Map<string, Promise<Platform | SitePod>>();

  private constructor(app: TestApp, cluster: string, folder: string) {
    this.#app = app;
    this.#cluster = cluster;
    this.#folder = folder;
  }

  static async open(app: TestApp, cluster: string): Promise<SitePods> {
    return new SitePods(app, cluster, await mkdtemp(join(tmpdir(), 'site-pods-')));
  }

  /** The cluster's own host. */
  keeper(): Promise<unknown> {
    return this.start(undefined);
  }

  /** Resolves when it runs; the same one while it does. */
  start(siteId: string | undefined): Promise<Platform | SitePod> {
    const name = siteId === undefined ? this.#cluster : siteHostName(this.#cluster, siteId);
    const pod = this.#pods.get(name) ?? this.#run(name);
    this.#pods.set(name, pod);
    return pod;
  }

  async stop(siteId: string): Promise<void> {
    const name = siteHostName(this.#cluster, siteId);
    const pod = this.#pods.get(name);
    await (await pod)?.stop();
    this.#pods.delete(name);
  }

  isRunning(siteId: string): boolean {
    return this.#pods.has(siteHostName(this.#cluster, siteId));
  }

  volume(siteId: string): string {
    return join(this.#folder, siteHostName(this.#cluster, siteId));
  }

  loseVolume(siteId: string): Promise<void> {
    return rm(this.volume(siteId), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const pod of this.#pods.values()) await (await pod).stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(name: string): Promise<Platform | SitePod> {
    const { config, secrets } = this.#app.services;
    if (config.backupStore.kind !== 'disk') throw new Error('pods of tests keep their backups in a folder');
    const env = {
      ROLE: 'host',
      SITE_HOST: name,
      SITE_HOST_ADDRESS: `127.0.0.1:${await freePort()}`,
      RUNTIME: config.newSites.driver,
      PORT: '0',
      BASE_URL: this.#app.url,
      DATA_DIR: join(this.#folder, name),
      CACHE_DIR: config.cacheDir,
      BACKUP_STORE: config.backupStore.folder,
      BACKUP_PER_HOST: 'on',
      BACKUP_PROCESSES: '1',
      RATE_LIMIT_FACTOR: '0',
      BROWSER: 'off',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
      WORDPRESS_SOURCE: 'npm',
      SHIPPED_TEMPLATES: 'off',
      STANDBY_WORKERS: '0',
      PHP_COMPILER: 'baseline',
    };
    if (name === this.#cluster) {
      const own = { DATABASE_URL: this.#app.databaseUrl, DATABASE_POOL_SIZE: '4', SECRET_KEY: config.secretKey };
      return startPlatform(readTestConfig({ ...env, ...own }), { drivers: memoryDriver });
    }
    const { key, certificate, authority } = podCredentials(secrets, name);
    const pod = readTestConfig({
      ...env,
      PLATFORM_DOOR: config.sitePods.platformDoor,
      POD_KEY: key,
      POD_CERTIFICATE: certificate,
      POD_AUTHORITY: authority,
    });
    return startSitePod(pod, pod.platformDoor as PlatformDoor, memoryDriver);
  }
}
