import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Random } from '../../../test/random.ts';
import { type CephGateway, hasCeph, startCephGateway } from '../../../test/timemachine/ceph-gateway.ts';
import { startMemoryS3 } from '../../../test/timemachine/memory-s3.ts';
import { RandomSite } from '../../../test/timemachine/random-site.ts';
import { truthOfDatabase, truthOfFolder } from '../../../test/timemachine/truth.ts';
import { Archiver } from '../archive/archiver.ts';
import { check } from '../maintenance/checker.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { S3Store } from './s3.ts';
import { sendToS3 } from './s3-request.ts';
import { testStore } from './store.contract.ts';

/** `CEPH=1` runs the store against a gateway of Ceph, which takes half a minute to start. */
const skip = process.env.CEPH !== '1' ? 'CEPH=1 is not set' : hasCeph() ? false : 'Ceph is not installed';

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
});

describe('in memory', () => {
  testStore('on S3', async () => new S3Store(await startMemoryS3({ after })));
});

test('a server that fails for a moment is asked again, and one that goes on failing is told', async () => {
  let failures = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(failures-- > 0 ? 503 : 200).end('content');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = new S3Store({ endpoint, region: 'any', bucket: 'any', accessKeyId: 'a', secretAccessKey: 'b' });
  try {
    failures = 2;
    assert.equal(`${await store.get('key')}`, 'content');
    failures = 100;
    await assert.rejects(store.get('key'), /S3 answered 503/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
