import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '#sdk';
import { spawnService } from '#testkit/app/service-process.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { fillDisk, onSmallDisk } from './small-disk.ts';

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : 'only root can mount a small disk';
const scratch = mkdtempSync(join(tmpdir(), 'siteyard-full-'));
chmodSync(scratch, 0o711);
const ENV = { RUNTIME: 'memory', ADMIN_PASSWORD: 'operator-password', LOG_LEVEL: 'warn', RATE_LIMIT_FACTOR: '0' };
after(() => rmSync(scratch, { recursive: true, force: true }));

test('a start on a full disk says in a sentence what is missing where, and ends with the number for it', {
  skip,
}, async () => {
  const dataDir = join(scratch, 'tiny');
  const service = spawnService({ ...ENV, PORT: '0', DATA_DIR: dataDir }, [], undefined, onSmallDisk(dataDir, 40));
  assert.equal(await service.exited, 28);
  const said = service.output();
  assert.match(
    said,
    /The disk of DATA_DIR \(.*tiny\) is full: \d+ MB are free, and a start needs 128 MB: \d+ MB are missing/,
  );
  assert.doesNotMatch(said, /\n\s+at |Error:/);
});

test('on a disk that fills up while it runs nothing acknowledged is lost, and it goes on by itself when there is room', {
  skip,
}, async (t) => {
  const dataDir = join(scratch, 'small');
  const port = await freePort();
  const env = { ...ENV, PORT: String(port), DATA_DIR: dataDir };
  const service = spawnService(env, [], undefined, onSmallDisk(dataDir, 512));
  t.after(async () => {
    service.kill('SIGTERM');
    assert.equal(await service.exited, 0);
  });
  const url = await service.ready;
  const reserve = join(`/proc/${service.pid}/root`, dataDir, 'reserve');
  assert.ok(existsSync(reserve));
  const { access_token: token } = await createClient({ baseUrl: url }).signIn({
    body: { username: 'admin@localhost', password: 'operator-password' },
  });
  const api = createClient({ baseUrl: url, token });
  const teamId = (await api.listTeams()).results[0]?.id as string;
  const acknowledged: string[] = [];
  const refusals = new Set<number>();
  /** Large, so that the room of what is there already is used up. */
  const write = async (subject: string) => {
    const body = { team_id: teamId, subject, description: randomBytes(15_000).toString('base64') };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(60_000);
    const response = await fetch(`${url}/f/api/v1/support/ticket`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    });
    await response.arrayBuffer();
    if (response.status === 200) acknowledged.push(subject);
    else refusals.add(response.status);
    return response.status;
  };
  assert.equal(await write('before'), 200);

  const makeRoom = await fillDisk(service.pid, dataDir);
  await eventually(async () => !existsSync(reserve), 60_000);
  assert.equal(await write('on the reserve'), 200, 'what was set aside is there for us');
  // And now that is gone too.
  const makeMoreRoom = await fillDisk(service.pid, dataDir, 'more');
  await eventually(async () => (await fetch(`${url}/readyz`)).status === 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  for (let count = 0; count < 10; count++) await write(`while full ${count}`);
  assert.deepEqual(
    [...refusals].filter((status) => status !== 503),
    [],
  );
  t.diagnostic(`${acknowledged.length} writes were taken, and refusals were ${[...refusals].join(', ') || 'none'}`);
  makeRoom();
  makeMoreRoom();

  await eventually(async () => (await fetch(`${url}/readyz`)).status === 200 && (await write('after')) === 200);
  await eventually(async () => existsSync(reserve), 60_000);
  const { results } = await api.listTeamTickets({ params: { team_id: teamId }, query: { size: 100 } });
  const kept = new Set(results.map(({ subject }) => subject));
  assert.deepEqual(
    acknowledged.filter((subject) => !kept.has(subject)),
    [],
  );
});
