import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { siteHostName } from '#core/cluster.ts';
import { askPlatform, type PlatformDoor, PlatformRefused } from '#core/platform-door.ts';
import { findClock } from '#features/backup/backup.ts';
import { addUsage } from '#features/instance/edge.sql.ts';
import { remoteHost } from '#host/wire/host-client.ts';
import { wireIdentity } from '#host/wire/identity.ts';
import { homeOf, secretOf } from '#integrations/kubernetes/site-manifests.ts';
import type { Site } from '#sdk';
import { LocalCluster } from '#testkit/app/local-cluster.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { S3Store } from '#timemachine/stores/s3.ts';
import { SealedStore } from '#timemachine/stores/sealed.ts';
import { podCredentials } from '../hosts.ts';
import { lend } from './backup-places.ts';
import type { PodAnswer, PodCall, PodInput } from './pod-calls.ts';

let bucket: MemoryS3;
let app: TestApp;
let owner: Person;
let mine: Site;
let theirs: Site;
before(async () => {
  bucket = await MemoryS3.start({ after });
  const door = `127.0.0.1:${await freePort()}`;
  const { endpoint, accessKeyId, secretAccessKey, region } = bucket.account;
  app = await startTestApp({
    // Nothing runs on it: the sites are rows that say so.
    clusters: new Map([['here', new LocalCluster()]]),
    env: {
      POD_DOOR_ADDRESS: door,
      KUBE_PLATFORM_DOOR: door,
      // Backups that are due wait for pods that nobody starts.
      KUBE_WAKE_SECONDS: '1',
      BACKUP_STORE: `s3://${bucket.account.bucket}/fleet`,
      BACKUP_PER_HOST: 'on',
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: region,
    },
  });
  owner = await registerPerson(app, 'Owner');
  const stranger = await registerPerson(app, 'Stranger');
  for (const person of [owner, stranger]) await putOnPlan(app, person.teamId, 'starter');
  [mine, theirs] = [await newSite(owner), await newSite(stranger)];
  for (const { id } of [mine, theirs])
    await app.services.db
      .updateTable('sites')
      .set({ host: hostOf(id) })
      .where('id', '=', id)
      .execute();
});
after(() => app?.close());

const hostOf = (siteId: string) => siteHostName('here', siteId);

function doorOf(name: string, derive = app.services.secrets.deriveLasting): PlatformDoor {
  const { key, certificate: cert, authority: ca } = podCredentials({ deriveLasting: derive }, name);
  return { address: app.services.config.sitePods.platformDoor, tls: { key, cert, ca } };
}

/** As the pod of `mine`, or as whoever has broken out of its PHP. */
const ask = <Name extends PodCall>(call: Name, input: PodInput<Name>, door = doorOf(hostOf(mine.id))) =>
  askPlatform(door, call, input) as Promise<PodAnswer<Name>>;

const announced = (host: string) =>
  app.services.db.selectFrom('platform_processes').selectAll().where('host', '=', host).execute();

const processOf = (id: string) => ({ id, machine: 'a pod', pid: 1, address: '10.0.0.1:7443', idle_since: null });

suite('the door for the pods of sites', () => {
  test('is for pods that our own authority knows, and for no others', async () => {
    const stranger = wireIdentity((purpose) => `another key ${purpose}`.padEnd(43, 'x'), hostOf(mine.id)).tls;
    const forged = { ...doorOf(hostOf(mine.id)), tls: { ...stranger, ca: doorOf('any').tls.ca } };
    await assert.rejects(ask('routes', {}, forged), (error) => !(error instanceof PlatformRefused));
    for (const name of ['platform', 'here', siteHostName('elsewhere', mine.id)])
      await assert.rejects(ask('routes', {}, doorOf(name)), /403/);
    assert.equal((await ask('routes', {}))[0]?.fqdn, mine.fqdn);
  });

  test('tells a pod of what is on its host, and of nothing else', async () => {
    assert.deepEqual([...new Set((await ask('routes', {})).map(({ site }) => site.id))], [mine.id]);
    assert.deepEqual(await ask('routes', { siteId: theirs.id }), []);
    assert.deepEqual(
      (await ask('storage', { siteIds: [mine.id, theirs.id] })).map(({ id }) => id),
      [mine.id],
    );
    assert.equal(await ask('editorIsOpen', { siteId: theirs.id }), false);
    const eventId = randomUUID();
    for (const { id } of [mine, theirs])
      await app.services.db
        .insertInto('site_holds')
        .values({ site_id: id, event_id: eventId, kind: 'updating' })
        .execute();
    assert.deepEqual(
      (await ask('holds', {})).map(({ site_id }) => site_id),
      [mine.id],
    );
    await app.services.db.deleteFrom('site_holds').where('event_id', '=', eventId).execute();
  });

  test('lets a pod speak for its own process and its own site alone', async () => {
    const { db } = app.services;
    const [own, other] = [randomUUID(), randomUUID()];
    await ask('announce', processOf(other), doorOf(hostOf(theirs.id)));
    await ask('announce', processOf(own));
    await ask('announce', { ...processOf(other), address: '10.6.6.6:7443' });
    assert.equal((await announced(hostOf(theirs.id)))[0]?.address, '10.0.0.1:7443', 'nobody is led elsewhere');
    await ask('leave', { id: other });
    await assert.rejects(ask('letGo', { siteId: mine.id, eventId: randomUUID(), processId: other }), PlatformRefused);
    await ask('succeed', { id: own });
    assert.equal((await announced(hostOf(theirs.id))).length, 1);
    // A socket of the platform's own machine is asked without a certificate.
    await assert.rejects(ask('announce', { ...processOf(own), address: 'unix:/run/any.sock' }), /422/);

    // Not by when their backups are due: the clock tries those meanwhile.
    const longAgo = new Date(0);
    await db.updateTable('backup_clocks').set({ touched_at: longAgo }).execute();
    await ask('touch', { siteIds: [mine.id, theirs.id] });
    assert.notDeepEqual((await findClock(db, mine.id))?.touched_at, longAgo);
    assert.deepEqual((await findClock(db, theirs.id))?.touched_at, longAgo);
    const status = { faviconUrl: null, title: 'Broken', nextCronAt: null };
    await ask('statuses', { statuses: [mine, theirs].map(({ id: siteId }) => ({ siteId, ...status })) });
    await ask('measured', { siteId: theirs.id, bytes: 10 ** 12 });
    const rows = await db.selectFrom('sites').select(['id', 'title', 'storage_bytes']).execute();
    assert.equal(rows.find(({ id }) => id === mine.id)?.title, 'Broken');
    const untouched = rows.find(({ id }) => id === theirs.id);
    assert.notEqual(untouched?.title, 'Broken');
    assert.notEqual(Number(untouched?.storage_bytes), 10 ** 12);
  });

  test('remembers a few processes of a host and no more, the one that came last among them', async () => {
    const all = Array.from({ length: 40 }, () => randomUUID());
    for (const id of all) await ask('announce', processOf(id));
    const known = (await announced(hostOf(mine.id))).map(({ id }) => id);
    assert.ok(known.length <= 8, `${known.length} are remembered`);
    assert.ok(known.includes(all.at(-1) as string));
    await ask('announce', processOf(all.at(-1) as string));
    assert.equal((await announced(hostOf(mine.id))).length, known.length);
    assert.equal((await announced(hostOf(theirs.id))).length, 1, 'those of others stay');
    await ask('succeed', { id: all.at(-1) as string });
  });

  test('counts what a pod reports for the team that has the site, whoever it names', async () => {
    const counted = { visits: 7, requests: 7, bytes: 7, cachedBytes: 0, cacheHits: 0, cacheMisses: 0, cacheObjects: 0 };
    const more = { cacheBytes: 0, lastVisitAt: null, errors: 0, durations: [], pages: 0, pagesFailedLast: 0 };
    const usage = [mine, theirs].map(({ id: siteId }) => ({ siteId, ...counted, ...more }));
    await ask('usage', { usage });
    const found = await app.services.db.selectFrom('site_usage').select(['site_id', 'visits']).execute();
    assert.deepEqual(
      found.map(({ site_id, visits }) => [site_id, Number(visits)]),
      [[mine.id, 7]],
    );
  });

  test('believes no number so large that others could not be counted any more', async () => {
    const { db } = app.services;
    const counted = { requests: 1, bytes: 1, cachedBytes: 0, cacheHits: 0, cacheMisses: 0, cacheObjects: 0 };
    const more = { cacheBytes: 0, lastVisitAt: null, errors: 0, durations: [1], pages: 0, pagesFailedLast: 0 };
    const usageOf = (siteId: string, visits: number) => ({ siteId, visits, ...counted, ...more });
    await assert.rejects(ask('usage', { usage: [{ ...usageOf(mine.id, 1), bytes: 9e18 }] }), /422/);
    // Many such, within a moment.
    const much = { ...usageOf(mine.id, 1e9), bytes: 1e15, durations: [1e9] };
    for (let turn = 0; turn < 10; turn++) await ask('usage', { usage: Array.from({ length: 1000 }, () => much) });
    // An edge tells of all sites in one report.
    const [ada, eve] = [mine, theirs].map(({ id, team_id: teamId }) => ({ ...usageOf(id, 3), teamId }));
    await addUsage(db, [ada, eve] as never);
    const rows = await db.selectFrom('site_usage').select(['site_id', 'visits', 'bytes', 'durations']).execute();
    assert.equal(Number(rows.find(({ site_id }) => site_id === theirs.id)?.visits), 3);
    const own = rows.find(({ site_id }) => site_id === mine.id);
    assert.deepEqual([Number(own?.bytes), own?.durations], [9e15, [2_147_483_647]]);
    await db.deleteFrom('site_usage').execute();
  });

  test('keeps little of what a pod says of itself, however often and under however many names it says it', async () => {
    const { db } = app.services;
    const reading = {
      disk_bytes: 1,
      disk_free_bytes: 1,
      memory_bytes: 1,
      memory_free_bytes: 1,
      cores: 1,
      load: 0,
      sites_awake: 0,
      php_processes: 0,
      php_waiting: 0,
      php_used_bytes: 0,
      php_budget_bytes: 0,
      php_is_short: false,
      backup_queue: { objects: 0, bytes: 0, oldest_seconds: 0, trouble: null },
    };
    for (let turn = 0; turn < 20; turn++) {
      const processId = randomUUID();
      await ask('announce', processOf(processId));
      await ask('reading', { processId, host: reading });
    }
    assert.equal((await announced(hostOf(mine.id))).length, 8);
    const kept = await db.selectFrom('platform_readings').selectAll().where('process_id', 'like', 'here.%').execute();
    assert.ok(kept.length <= 2, `${kept.length} readings of one host`);
    const [{ id: processId } = { id: '' }] = await announced(hostOf(mine.id));
    await assert.rejects(ask('reading', { processId, host: { ...reading, more: 'x'.repeat(5_000) } as never }), /413/);
  });

  test('has so many connections to a pod and no more, and others come in', async (t) => {
    const { address, tls } = doorOf(hostOf(mine.id));
    const [host, port] = address.split(':');
    const sockets: TLSSocket[] = [];
    t.after(() => {
      for (const socket of sockets) socket.destroy();
    });
    const open = () =>
      new Promise<void>((resolve) => {
        const options = {
          host: host as string,
          port: Number(port),
          ...tls,
          servername: 'platform',
          checkServerIdentity: () => undefined,
        };
        const socket = connect(options, () => {
          sockets.push(socket);
          resolve();
        });
        socket.on('error', () => resolve());
      });
    for (let turn = 0; turn < 140; turn++) await open();
    await eventually(
      async () => sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length <= 128,
    );
    assert.deepEqual(await ask('storage', { siteIds: [mine.id] }, doorOf(hostOf(theirs.id))), []);
  });

  test('takes nothing that it does not understand', async () => {
    await assert.rejects(ask('touch', { siteIds: ['no id'] }), /422/);
    await assert.rejects(ask('errors', { siteId: mine.id, lines: 'x'.repeat(1_048_600) }), /413/);
    await assert.rejects(askPlatform(doorOf(hostOf(mine.id)), 'constructor', {}), /404/);
    await assert.rejects(askPlatform(doorOf(hostOf(mine.id)), 'errors', { siteId: mine.id, lines: 'x'.repeat(9e6) }));
  });
});

suite('the store of backups in a pod', () => {
  const storeOf = (name: string, more: { grant?: string } = {}) => {
    const { endpoint, region } = bucket.account;
    const place = { endpoint, region, bucket: bucket.account.bucket, prefix: `fleet/${name}/` };
    return new S3Store({ ...place, door: doorOf(hostOf(mine.id)), ...more });
  };

  test('is the site’s own, without any key of the bucket', async () => {
    const store = storeOf(mine.id);
    await store.put('packs/one', [Buffer.from('one')]);
    assert.equal(`${await store.get('packs/one', { start: 1, length: 2 })}`, 'ne');
    assert.deepEqual(await store.names('packs'), ['one']);
    await store.removeAbandoned();
    assert.ok(bucket.objects.has(`fleet/${mine.id}/packs/one`));
    await store.delete('packs/one');
    assert.deepEqual(await store.list(''), []);
  });

  test('gives nobody what another site or the platform keeps, by no word of S3', async () => {
    for (const name of [theirs.id, 'here', `${mine.id}/../${theirs.id}`, `${mine.id}-`, ''])
      for (const act of [
        () => storeOf(name).get('packs/one'),
        () => storeOf(name).put('packs/one', [Buffer.from('mine')]),
        () => storeOf(name).delete('packs/one'),
        () => storeOf(name).list(''),
        () => storeOf(name).removeAbandoned(),
      ])
        await assert.rejects(act(), PlatformRefused, name);
    const key = `fleet/${mine.id}/packs/one`;
    const hash = randomBytes(32).toString('hex');
    for (const query of [{ acl: '' }, { policy: '' }, { tagging: '' }])
      await assert.rejects(ask('signBackup', { method: 'PUT', key, query, hash }), PlatformRefused);
    await assert.rejects(ask('signBackup', { method: 'PUT', query: {}, hash }), PlatformRefused);
  });

  test('reads what the platform has lent to it, and changes nothing there', async () => {
    const { secrets } = app.services;
    bucket.objects.set('fleet/here/packs/template', { body: Buffer.from('a template'), at: new Date() });
    const lent = storeOf('here', { grant: lend(secrets, mine.id, 'here') as string });
    assert.equal(`${await lent.get('packs/template')}`, 'a template');
    await assert.rejects(lent.delete('packs/template'), PlatformRefused);
    const notMine = storeOf('here', { grant: lend(secrets, theirs.id, 'here') as string });
    await assert.rejects(notMine.get('packs/template'), PlatformRefused);
    assert.equal(lend(secrets, mine.id, siteHostName('there', mine.id)), undefined, 'its own past it has anyway');
  });

  test('is nobody’s when the site is gone, though the certificate is still good', async () => {
    const { db } = app.services;
    const { id } = await newSite(owner);
    const gone = doorOf(siteHostName('here', id));
    const sign = () =>
      ask('signBackup', { method: 'PUT', key: `fleet/${id}/packs/one`, query: {}, hash: 'a'.repeat(64) }, gone);
    assert.match((await sign()).url, /packs\/one/);
    await db.deleteFrom('sites').where('id', '=', id).execute();
    await assert.rejects(sign(), PlatformRefused);
  });

  test('is sealed as every other is, without the key that seals', async () => {
    const key = Buffer.from(app.services.secrets.deriveLasting('backup store'), 'base64url').toString('base64');
    const inPod = new SealedStore(storeOf(mine.id), { door: doorOf(hostOf(mine.id)), isOn: true });
    await inPod.put('packs/sealed', [Buffer.from('a secret')]);
    assert.equal(`${await inPod.get('packs/sealed')}`, 'a secret');
    assert.equal(`${await new SealedStore(storeOf(mine.id), { key, isOn: true }).get('packs/sealed')}`, 'a secret');
  });
});

test('the program starts as a pod with what its manifest says, and leaves what an operator forgot in the Secret', async (t) => {
  const { config, secrets } = app.services;
  const { sitePods, newSites } = config;
  const folder = await mkdtemp(join(tmpdir(), 'site-pod-'));
  const address = `127.0.0.1:${await freePort()}`;
  const options = { ...sitePods, cluster: 'here', driver: newSites.driver };
  const spec = homeOf(options, { siteId: mine.id, plan: 'free', processors: 1 }).spec?.template.spec;
  const told = (spec?.containers[0]?.env ?? []).map(({ name, value = '' }) => [name, value]);
  const own = secretOf(
    options,
    { siteId: mine.id, plan: 'free', processors: 1 },
    '',
    podCredentials(secrets, hostOf(mine.id)),
  );
  const child = spawn(process.execPath, [new URL('../../../testkit/app/service.ts', import.meta.url).pathname], {
    env: {
      // As a Secret of all pods had it before.
      DATABASE_URL: app.databaseUrl,
      SECRET_KEY: config.secretKey,
      BACKUP_STORE: 's3://bucket/fleet',
      AWS_ENDPOINT_URL_S3: bucket.account.endpoint,
      AWS_REGION: 'any',
      AWS_ACCESS_KEY_ID: 'the-access-key',
      AWS_SECRET_ACCESS_KEY: 'the-secret-key',
      WORDPRESS_SOURCE: 'npm',
      ...own.stringData,
      ...Object.fromEntries(told),
      // Of this machine.
      SITE_HOST_ADDRESS: address,
      DATA_DIR: folder,
      CACHE_DIR: config.cacheDir,
      HOST: '127.0.0.1',
      PORT: '0',
      TMPDIR: tmpdir(),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });
  let words = '';
  for await (const part of child.stdout) {
    words += part;
    if (words.includes('\n')) break;
  }
  assert.match(words, /^ready: /);
  assert.ok((await announced(hostOf(mine.id))).some((each) => each.address === address));
  const pod = remoteHost(hostOf(mine.id), [address], wireIdentity(secrets.deriveLasting, 'platform'));
  assert.deepEqual(await pod.list({ host: hostOf(mine.id), driver: newSites.driver }), []);
  await pod.sendKept({ id: mine.id, host: hostOf(mine.id), driver: newSites.driver });
  await eventually(async () => bucket.objects.has(`fleet/${mine.id}/owner`));
});
