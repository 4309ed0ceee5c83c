import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { prune } from '#features/backup/backup.jobs.ts';
import type { Backup } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { createTestDatabase, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { checkFigures } from './backup-check.sql.ts';
import { checkTurns } from './backup-check.ts';

let app: TestApp;
let bucket: MemoryS3;
let owner: Person;
let env: Record<string, string>;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
before(async () => {
  bucket = await MemoryS3.start({ after }, 'host-1/');
  const { endpoint, accessKeyId, secretAccessKey } = bucket.account;
  env = {
    BACKUP_STORE: 's3://bucket/host-1',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    BACKUP_ENCRYPTION: 'on',
  };
  database = await createTestDatabase();
  app = await startTestApp({ env, databaseUrl: database.url });
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});
after(async () => {
  await app?.close();
  await database?.drop();
});

async function checkAll(): Promise<void> {
  const { db } = app.services;
  let everyHours = 0;
  do {
    await checkTurns(app.services, { bytes: 1e9, ms: 60_000 }, everyHours);
    everyHours = 24;
  } while (await db.selectFrom('backup_checks').select('host').where('finished_at', 'is', null).executeTakeFirst());
}

const queue = () => app.timeMachine.uploads?.state;
const waiting = () => readdirSync(join(app.services.config.dataDir, 'backup-queue/queue'));
const arrived = () => eventually(async () => waiting().length === 0 && queue()?.trouble === null);
/** A figure as Prometheus reads it. */
async function figure(name: string): Promise<number> {
  const token = app.services.config.metricsToken ?? app.services.secrets.derive('metrics token');
  const text = await (await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  return Number(new RegExp(`^siteyard_${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
}

test('backups go to a bucket, sealed; they are checked, shown, restored and pruned there, and a look tells what is lost', async () => {
  const site = await newSite(owner);
  const params = { fqdn: site.fqdn };
  const disk = siteOnDisk(app, site.id);
  const points: string[] = [];
  for (const n of [1, 2, 3]) {
    await disk.write('uploads/note.txt', `kept ${n}`);
    points.push(await disk.keep());
  }
  await arrived();
  await checkAll();
  assert.equal((await checkFigures(app.services.db)).backup_check_faults, 0);
  assert.ok(bucket.objects.size > 5);
  for (const [key, { body }] of bucket.objects) assert.ok(!body.includes('kept ') && key.startsWith('host-1/'), key);
  await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: points[0] as string } });
  assert.equal(await disk.read('uploads/note.txt'), 'kept 1');
  await prune(app.services, Date.now());

  // Somebody emptied the bucket of what one restore point needs.
  await arrived();
  const hash = await hashAt(points[1] as string);
  for (const key of bucket.objects.keys()) if (key.includes(hash)) bucket.objects.delete(key);
  await checkAll();
  const backups = (await owner.api.getBackups({ params, query: { number_to_fetch: 100 } })) as Backup[];
  const offered = backups.map(({ created_at }) => created_at);
  assert.deepEqual(
    points.map((point) => offered.includes(point)),
    [true, false, true],
  );
});

test('while the bucket is away backups go on and say that they wait; restores of what is here work, and all arrives', async () => {
  const site = await newSite(owner);
  const params = { fqdn: site.fqdn };
  const disk = siteOnDisk(app, site.id);
  await disk.write('uploads/note.txt', 'before');
  await disk.keep();
  await arrived();
  const objects = bucket.objects.size;
  await bucket.stop();
  await disk.write('uploads/note.txt', 'meanwhile');
  const point = await disk.keep();
  await eventually(async () => /can not be reached/.test(queue()?.trouble ?? ''));
  assert.equal(await figure('backup_store_up'), 0);
  assert.ok((await figure('backup_queue_objects')) > 1);
  await disk.write('uploads/note.txt', 'later');
  await owner.api.createPitRestore({ params, wait: 60, body: { restore_point: point } });
  assert.equal(await disk.read('uploads/note.txt'), 'meanwhile');
  // A check finds nothing out then, and calls nothing damaged.
  await checkTurns(app.services, { bytes: 1e9, ms: 60_000 }, 0);
  assert.equal((await checkFigures(app.services.db)).backups_damaged, 1);
  await bucket.start();
  app.timeMachine.uploads?.soon();
  await arrived();
  assert.ok(bucket.objects.size > objects + 2);
  assert.equal(await figure('backup_store_up'), 1);
  await checkAll();
  assert.equal((await checkFigures(app.services.db)).backups_damaged, 1);
});

test('after a change of the platform’s key backups open where nothing is left but the database and the bucket', async () => {
  const site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  await disk.write('uploads/note.txt', 'sealed before');
  const point = await disk.keep();
  await arrived();
  const moment = { hash: await hashAt(point), timeMs: Date.parse(point) };
  await app.close();
  const keys = {
    SECRET_KEY: 'another key for tests, also long',
    SECRET_KEY_PREVIOUS: app.services.config.secretKey ?? '',
  };
  app = await startTestApp({ env: { ...env, ...keys }, databaseUrl: database.url });
  const part = { prefix: 'uploads/note', limit: 10 };
  const { files } = await app.timeMachine.kept.files(owner.teamId, site.id, moment, part);
  assert.deepEqual(
    files.map(({ path, sizeBytes }) => [path, sizeBytes]),
    [['uploads/note.txt', 'sealed before'.length]],
  );
});

async function hashAt(point: string): Promise<string> {
  const backups = app.services.db.selectFrom('backups').select('commit_hash');
  const { commit_hash } = await backups.where('created_at', '=', new Date(point)).executeTakeFirstOrThrow();
  return commit_hash;
}
