import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { freePort } from '#testkit/free-port.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { examine } from './doctor.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');

test('a machine that the tests run on is fit, and every remark says what to do', async (t) => {
  const dataDir = join(scratchFolder(t), 'data');
  const findings = await examine({ DATA_DIR: dataDir, PORT: '0' });
  assert.deepEqual(
    findings.filter(({ state }) => state === 'fault'),
    [],
  );
  const names = findings.map(({ name }) => name);
  for (const name of [
    'node',
    'kernel',
    'namespaces',
    'cgroups',
    'memory',
    'disk',
    'disk speed',
    'clock',
    'postgres',
    'backups',
  ])
    assert.ok(names.includes(name), name);
  for (const { state, advice } of findings) assert.equal(advice !== null, state !== 'ok');
  assert.ok(!existsSync(dataDir), 'and nothing is left behind');
});

test('what a service puts into DATA_DIR meanwhile stays, and the port with TLS is looked at', async (t) => {
  const dataDir = join(scratchFolder(t), 'a/data');
  const env = { DATA_DIR: dataDir, PORT: '0', HTTPS_PORT: String(await freePort()), BASE_URL: 'https://example.com' };
  const examining = examine(env);
  while (!existsSync(dataDir)) await setImmediate();
  writeFileSync(join(dataDir, 'secret.key'), 'a key');
  assert.ok((await examining).some(({ name }) => name === 'HTTPS_PORT'));
  assert.ok(existsSync(join(dataDir, 'secret.key')));
});

test('what is missing is named, with what to do: a bucket that lets nobody in, a server that is not there', async (t) => {
  const bucket = await MemoryS3.start(t);
  bucket.trouble = { status: 403, code: 'AccessDenied' };
  const findings = await examine({
    DATA_DIR: scratchFolder(t),
    PORT: '0',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    BACKUP_STORE: 's3://bucket',
    AWS_ENDPOINT_URL: bucket.account.endpoint,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  });
  const faults = new Map(findings.filter(({ state }) => state === 'fault').map((each) => [each.name, each]));
  assert.match(faults.get('postgres')?.found ?? '', /does not answer/);
  assert.match(faults.get('backups')?.found ?? '', /403 AccessDenied/);
  assert.match(faults.get('backups')?.advice ?? '', /rights of that key/);
});

test('sites on native PHP and MariaDB that the machine can not have are faults', async (t) => {
  const native = { DATA_DIR: scratchFolder(t), PORT: '0', RUNTIME: 'fpm', SANDBOX: 'none' };
  const findings = await examine({ ...native, MARIADB_URL: 'mariadb://root@127.0.0.1:1' });
  const of = (name: string) => findings.find((each) => each.name === name);
  assert.deepEqual([of('php')?.state, of('mariadb')?.state], ['fault', 'fault']);
  assert.match(of('php')?.found ?? '', /RUNTIME=fpm/);
  assert.match(of('mariadb')?.found ?? '', /MARIADB_URL does not work/);
});

test('the command answers people or programs, and its exit code says whether something is missing', () => {
  const env = { ...process.env, PORT: 'nonsense' };
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'doctor', '--json'], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  const answer = JSON.parse(stdout);
  assert.equal(answer.is_fit, false);
  assert.match(answer.findings[0].found, /PORT/);
});

test('misspelt variables, names that do not resolve, and servers that do not answer are named', async (t) => {
  const findings = await examine({
    DATA_DIR: scratchFolder(t),
    PORT: '0',
    RUNTMIE: 'fpm',
    PATH_OF_NOBODY: 'x',
    BASE_URL: 'https://panel.invalid',
    SITE_DOMAIN: 'sites.invalid',
    DNS_SERVERS: '127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
  });
  const stateOf = (name: string) => findings.find((each) => each.name === name)?.state;
  assert.equal(findings.find(({ name }) => name === 'RUNTMIE')?.advice, 'Rename it to RUNTIME if you meant that.');
  assert.equal(stateOf('PATH_OF_NOBODY'), undefined);
  for (const name of ['BASE_URL', 'SITE_DOMAIN', 'DNS_SERVERS', 'SMTP_URL'])
    assert.equal(stateOf(name), 'advice', name);
});

test('a store of backups that cannot be written is a fault', async (t) => {
  // The file system of the kernel refuses root too, like a disk that is mounted read-only.
  const findings = await examine({ DATA_DIR: scratchFolder(t), PORT: '0', BACKUP_STORE: '/proc/self/backups' });
  assert.equal(findings.find(({ name }) => name === 'backups')?.state, 'fault');
});
