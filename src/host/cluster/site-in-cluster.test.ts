import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { LocalCluster } from '#testkit/app/local-cluster.ts';
import { HostAway } from '../host-unreachable.ts';
import type { SiteHost } from '../site-host.ts';
import { SiteInCluster } from './site-in-cluster.ts';

const siteId = randomUUID();
const place = { host: `here.${siteId}`, driver: 'php-wasm' };
const site = { ...place, id: siteId };

/** The host of a site whose whereabouts nobody can see until then. */
async function hostUnseenFor(ms: number, wakeMs: number): Promise<SiteHost> {
  const cluster = new LocalCluster();
  await cluster.apply({ siteId, plan: 'free', processors: 1 });
  const seenAt = performance.now() + ms;
  return new SiteInCluster({
    name: site.host,
    siteId,
    cluster,
    async processes() {
      if (performance.now() < seenAt) throw new Error('The database does not answer');
      return [{ id: 'a process', address: 'an address' }];
    },
    reach: () => ({ activeTheme: async () => 'its theme' }) as unknown as SiteHost,
    knock: async () => true,
    describe: async () => undefined,
    measured: async () => 0,
    lend: () => undefined,
    settle: async () => true,
    keeper: () => assert.fail('the keeper is asked'),
    wakeMs,
  }).host;
}

suite('the host of a site on a cluster, while the database does not say where it is', () => {
  const ask = (host: SiteHost) => (host as unknown as { activeTheme(site: object): Promise<string> }).activeTheme(site);

  test('is waited for, whether it is awake or not', async () => {
    assert.equal(await ask(await hostUnseenFor(500, 20_000)), 'its theme');
  });

  test('is away when that takes too long, which is no bug of ours', async () => {
    await assert.rejects(
      async () => ask(await hostUnseenFor(60_000, 300)),
      (error) => error instanceof HostAway && /The database does not answer/.test(error.message),
    );
  });
});
