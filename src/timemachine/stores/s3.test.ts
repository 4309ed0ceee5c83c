import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testStore } from '#testkit/contracts/store.contract.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { Random } from '#testkit/random.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { type CephGateway, hasCeph, startCephGateway } from '#testkit/snapshots/ceph-gateway.ts';
import { RandomSite } from '#testkit/snapshots/random-site.ts';
import { truthOfDatabase, truthOfFolder } from '#testkit/snapshots/truth.ts';
import { Archiver } from '../archive/archiver.ts';
import { check } from '../maintenance/checker.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { QueuedStore } from './queued.ts';
import { S3Store } from './s3.ts';
import { listIn, sendToS3, xmlOf } from './s3-client.ts';
import { SealedStore } from './sealed.ts';

/** `S3=ceph` runs the store against a gateway of Ceph, which takes half a minute to start. */
const skip = process.env.S3 !== 'ceph' ? 'S3=ceph is not set' : hasCeph() ? false : 'Ceph is not installed';

const OUTAGE_MS = 60_000;

describe('on Ceph', { skip }, () => {
  let folder: string;
  let gateway: CephGateway;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ceph-'));
    gateway = await startCephGateway(folder);
  });
  after(async () => {
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const makeStore = async () => {
    const account = { ...gateway.account, bucket: `bucket-${randomUUID()}` };
    assert.equal((await sendToS3(account, { method: 'PUT' })).status, 200);
    return new S3Store(account);
  };
  testStore('on S3', makeStore);

  test('big objects go in parts, also below a prefix, and what was begun and left goes after a day', async () => {
    const account = { ...gateway.account, bucket: `bucket-${randomUUID()}`, prefix: 'a/b/' };
    assert.equal((await sendToS3(account, { method: 'PUT' })).status, 200);
    await putsInParts(new S3Store(account, 20_000_000));
    const begun = await sendToS3(account, { method: 'POST', key: 'a/b/left', query: { uploads: '' } });
    assert.equal(begun.status, 200);
    await new S3Store(account).removeAbandoned(Date.now() + 25 * 3_600_000);
    const left = await sendToS3(account, { method: 'GET', query: { uploads: '' } });
    assert.deepEqual(listIn(xmlOf(left), 'Upload'), []);
  });

  test('lists go on where a page of the answer ends', async () => {
    const store = await makeStore();
    const keys = Array.from({ length: 1203 }, (_, index) => `many/${`${index}`.padStart(5, '0')}`);
    for (let start = 0; start < keys.length; start += 30) {
      await Promise.all(keys.slice(start, start + 30).map((key) => store.put(key, [])));
    }
    assert.deepEqual(
      (await store.list('many')).map(({ key }) => key),
      keys,
    );
    assert.deepEqual(
      await store.names('many'),
      keys.map((key) => key.slice(5)),
    );
  });

  test('a wrong key is refused', async () => {
    const account = { ...gateway.account, secretAccessKey: 'wrong', bucket: 'any' };
    await assert.rejects(new S3Store(account).get('any'), /S3 answered 403 SignatureDoesNotMatch/);
  });

  test('a site is kept in it and comes back', async () => {
    const site = new RandomSite(join(folder, 'site'), join(folder, 'site.sqlite'), new Random(1));
    const repository = new Repository(await makeStore());
    const archiver = new Archiver({
      repository: repository.site('ada', 'site'),
      folder: site.folder,
      tables: new SqliteSource(site.database),
    });
    await archiver.snapshot();
    for (let minute = 0; minute < 5; minute++) site.minute();
    const { snapshot } = await archiver.snapshot();
    const tables = new SqliteTarget(join(folder, 'copy.sqlite'));
    await restoreInto(repository.site('ada', 'site'), snapshot, { folder: join(folder, 'copy'), tables });
    await tables.close();
    assert.deepEqual(truthOfFolder(join(folder, 'copy')), truthOfFolder(site.folder));
    assert.deepEqual(truthOfDatabase(join(folder, 'copy.sqlite')), truthOfDatabase(site.database));
    assert.deepEqual((await check(repository)).faults, []);
  });

  test('a gateway that is gone for a minute costs no backup: they wait here, and arrive whole', async (t) => {
    const site = new RandomSite(join(folder, 'busy'), join(folder, 'busy.sqlite'), new Random(2));
    const account = { ...gateway.account, bucket: `bucket-${randomUUID()}`, prefix: 'host/' };
    assert.equal((await sendToS3(account, { method: 'PUT' })).status, 200);
    const seal = { key: randomBytes(32).toString('base64'), isOn: true };
    const openQueue = (name: string) => {
      const queue = { folder: join(folder, name), cacheBytes: 1e8, queueBytes: 1e9, owner: 'us' };
      return new QueuedStore(new SealedStore(new S3Store(account), seal), queue);
    };
    const store = openQueue('queue');
    const repository = new Repository(store).site('ada', 'busy');
    const archiver = new Archiver({ repository, folder: site.folder, tables: new SqliteSource(site.database) });
    const truths = new Map<string, unknown>();
    const keep = async () => {
      site.minute();
      const { id } = await archiver.snapshot();
      truths.set(id.hash, { files: truthOfFolder(site.folder), tables: truthOfDatabase(site.database) });
    };
    const uploading = setInterval(() => void store.upload(), 1_000);
    t.after(() => clearInterval(uploading));
    for (let n = 0; n < 5; n++) await keep();
    await gateway.shut();
    const backAtMs = Date.now() + OUTAGE_MS;
    for (let n = 0; n < 20 || Date.now() < backAtMs; n++) {
      await keep();
      await sleep(OUTAGE_MS / 20);
    }
    assert.ok((await store.upload()).objects >= 20);
    await gateway.reopen();
    for (let n = 0; n < 5; n++) await keep();
    await eventually(async () => (await store.upload()).objects === 0, 120_000);

    // A machine that has nothing but the bucket.
    const elsewhere = new Repository(openQueue('other-queue'));
    assert.deepEqual((await check(elsewhere)).faults, []);
    const copies = elsewhere.site('ada', 'busy');
    const found = await copies.snapshots();
    assert.equal(found.length, truths.size);
    for (const [index, id] of found.entries()) {
      const tables = new SqliteTarget(join(folder, `copy-${index}.sqlite`));
      await restoreInto(copies, await copies.readSnapshot(id), { folder: join(folder, `copy-${index}`), tables });
      await tables.close();
      const copy = {
        files: truthOfFolder(join(folder, `copy-${index}`)),
        tables: truthOfDatabase(join(folder, `copy-${index}.sqlite`)),
      };
      assert.deepEqual(copy, truths.get(id.hash));
    }
  });
});

/** In parts of 16 MB. */
async function putsInParts(store: S3Store): Promise<void> {
  const big = Buffer.alloc(33_000_000, 'something that repeats itself ');
  await store.put('packs/big', [big.subarray(0, 5), big.subarray(5)]);
  assert.ok((await store.get('packs/big')).equals(big));
  assert.deepEqual(await store.names(''), ['packs']);
}

describe('in memory', () => {
  testStore('on S3', async () => new S3Store((await MemoryS3.start({ after })).account));
  testStore('on S3, below a prefix', async () => new S3Store((await MemoryS3.start({ after }, 'a/b/')).account));

  test('big objects go in parts, and what was begun and left goes after a day', async (t) => {
    const server = await MemoryS3.start(t, 'a/');
    const store = new S3Store(server.account, 20_000_000);
    await putsInParts(store);
    assert.equal(server.uploads.size, 0);
    server.uploads.set('old', { key: 'a/old', parts: new Map(), at: new Date(0) });
    server.uploads.set('young', { key: 'a/young', parts: new Map(), at: new Date() });
    await store.removeAbandoned();
    assert.deepEqual([...server.uploads.keys()], ['young']);
  });

  test('names that XML has to escape come back as they were', async (t) => {
    const server = await MemoryS3.start(t);
    server.objects.set('p/a&amp;b', { body: Buffer.from('1'), at: new Date() });
    assert.deepEqual(await new S3Store(server.account).names('p'), ['a&b']);
  });

  test('a bucket that is not there is no missing object', async (t) => {
    const server = await MemoryS3.start(t);
    server.trouble = { status: 404, code: 'NoSuchBucket' };
    await assert.rejects(new S3Store(server.account).get('any'), /no such bucket/);
  });
});

test('a server that fails or is throttled for a moment is asked again, and one that goes on so is away', async (t) => {
  const server = await MemoryS3.start(t);
  const store = new S3Store(server.account);
  await store.put('key', [Buffer.from('content')]);
  server.trouble = { status: 503, code: 'SlowDown' };
  const waiting = store.get('key');
  await pause(50);
  server.trouble = undefined;
  assert.equal(`${await waiting}`, 'content');
  server.trouble = { status: 503, code: 'SlowDown' };
  await assert.rejects(store.get('key'), { code: 'store_away', message: /503 SlowDown/ });
  await server.stop();
  await assert.rejects(store.get('key'), { code: 'store_away', message: /ECONNREFUSED/ });
});
