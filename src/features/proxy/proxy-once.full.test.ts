import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction } from '#core/db/database.ts';
import { createClient } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { createTestDatabase, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { startTrickyNames, type TrickyNames } from '#testkit/servers/changing-dns-server.ts';
import { startUpstream, type Upstream } from '#testkit/servers/upstream.ts';

/** What goes out under an Idempotency-Key goes out once, whatever happens on the way. */
let names: TrickyNames;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let env: Record<string, string>;
let app: TestApp;
let wordpress: Upstream;
let owner: Person;
let host: string;
let mortal: ServiceProcess | undefined;
/** Until this is resolved, nothing is answered at /wp-json/slow. */
const slow = Promise.withResolvers<void>();
const LARGE = 'x'.repeat(9_000_000);

before(async () => {
  names = await startTrickyNames((name, type) => (type === 'A' && name.endsWith('.example.com') ? ['127.0.0.1'] : []));
  wordpress = await startUpstream(async ({ url }) => {
    if (url.pathname === '/wp-json/slow') await slow.promise;
    if (url.pathname === '/wp-json/large') return { headers: { 'content-type': 'text/plain' }, body: LARGE };
    if (url.pathname === '/xmlrpc.php') return { headers: { 'content-type': 'text/xml' }, body: '<methodResponse/>' };
    return { body: { done: true } };
  });
  database = await createTestDatabase();
  env = {
    OUTBOUND_ALLOW: '127.0.0.0/8',
    DNS_SERVERS: names.address,
    SECRET_KEY: 'a key for tests that is long enough',
  };
  app = await startTestApp({ databaseUrl: database.url, env });
  owner = await registerPerson(app, 'Owner');
  host = `blog.example.com:${wordpress.port}`;
  await store(owner, host);
});
after(async () => {
  slow.resolve();
  mortal?.kill('SIGKILL');
  await mortal?.exited;
  await app?.close();
  await Promise.all([database?.drop(), wordpress?.close(), names?.close()]);
});

const store = (person: Person, fqdn: string) =>
  person.api.createApplicationPassword({ body: { fqdn, username: 'ada', password: 'secret', team_id: person.teamId } });
const write = (idempotencyKey: string, fqdn = host, api = owner.api) =>
  api.cmsProxy({ body: { fqdn, path: '/wp-json/slow', method: 'post' }, idempotencyKey });
const seen = () => wordpress.seen.filter(({ url }) => url.pathname === '/wp-json/slow').length;

test('a write whose process was killed before the answer came is not sent again: the retry says that its end is unknown', async () => {
  mortal = spawnService({
    ...env,
    ROLE: 'api',
    PORT: String(await freePort()),
    DATA_DIR: await mkdtemp(join(tmpdir(), 'siteyard-api-')),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
  });
  const doomed = createClient({ baseUrl: await mortal.ready, token: owner.token });
  const first = write('killed', host, doomed).catch((error) => error);
  await eventually(async () => seen() === 1, 30_000);
  mortal.kill('SIGKILL');
  await mortal.exited;
  assert.ok((await first) instanceof Error);
  // The database may take a moment to find out that the process is gone.
  const retry = () => write('killed').catch((error) => error);
  await eventually(async () => (await retry()).code !== 'idempotency.in_progress', 30_000);
  for (let time = 0; time < 2; time++) refused(409, 'idempotency.outcome_unknown')(await retry());
  assert.equal(seen(), 1);
  slow.resolve();
  await write('another');
  assert.equal(seen(), 2);
});

test('a write that broke off is not sent again, and one that never went out may be', async (t) => {
  let calls = 0;
  const breaking = await listen((socket) =>
    socket
      .on('error', () => {})
      .once('data', () => {
        calls++;
        socket.destroy();
      }),
  );
  t.after(() => breaking.close());
  const fqdn = `breaking.example.com:${breaking.port}`;
  await store(owner, fqdn);
  const elsewhere = await registerPerson(app, 'Elsewhere');
  await letIn(elsewhere, owner, 'member');
  await assert.rejects(write('broken', fqdn), refused(502, 'proxy.unreachable'));
  await assert.rejects(write('broken', fqdn), refused(409, 'idempotency.outcome_unknown'));
  // Not even for a lost role is it said to have been answered.
  await elsewhere.api.removeMember({ params: { team_id: elsewhere.teamId, team_member_user_id: owner.userId } });
  await assert.rejects(write('broken', fqdn), refused(409, 'idempotency.outcome_unknown'));
  assert.equal(calls, 1);
  // A read changes nothing, so it is simply asked again.
  const read = () => owner.api.cmsProxy({ body: { fqdn, path: '/wp-json/slow' }, idempotencyKey: 'read' });
  await assert.rejects(read(), refused(502, 'proxy.unreachable'));
  await assert.rejects(read(), refused(502, 'proxy.unreachable'));
  await breaking.close();

  await assert.rejects(write('closed', fqdn), refused(502, 'proxy.unreachable'));
  await assert.rejects(write('closed', fqdn), refused(502, 'proxy.unreachable'));
});

test('a role that this process has yet to hear of does not keep the answer from whoever waits for it', async () => {
  const { teamId } = await registerPerson(app, 'Inviting');
  await owner.api.getMe();
  await inTransaction(app.services.db, async (tx) => {
    // Nobody is told.
    await sql`alter table team_members disable trigger team_members_access`.execute(tx);
    const joined = { team_id: teamId, user_id: owner.userId, role: 'member' };
    await tx.insertInto('team_members').values(joined).execute();
    await sql`alter table team_members enable trigger team_members_access`.execute(tx);
  });
  const body = { fqdn: host, path: '/wp-json/fast', method: 'post' } as const;
  assert.deepEqual((await owner.api.cmsProxy({ body, idempotencyKey: 'joined' })).body, { done: true });
});

test('large answers are kept up to a limit; beyond it a write still goes out once, and the retry says why it shows nothing', async () => {
  const buyer = await registerPerson(app, 'Buyer');
  await store(buyer, host);
  const large = (idempotencyKey: string) =>
    buyer.api.cmsProxy({ body: { fqdn: host, path: '/wp-json/large', method: 'post' }, idempotencyKey });
  for (let count = 1; count <= 6; count++) assert.equal((await large(`large-${count}`)).status_code, 200);
  const sent = () => wordpress.seen.filter(({ url }) => url.pathname === '/wp-json/large').length;
  assert.equal((await large('large-1')).status_code, 200);
  for (let time = 0; time < 2; time++)
    await assert.rejects(large('large-6'), refused(409, 'idempotency.answer_not_kept'));
  assert.equal(sent(), 6);
  assert.equal((await buyer.api.cmsProxy({ body: { fqdn: host }, idempotencyKey: 'small' })).status_code, 200);
});

test('the answer to a call for one team is not shown to who left it, though another team of theirs has the same host', async () => {
  const member = await registerPerson(app, 'Member');
  await letIn(owner, member, 'member');
  await store(member, host);
  const call = () =>
    fetch(`${app.api}/xmlrpc/${host}?team_id=${owner.teamId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${member.token}`, 'content-type': 'text/xml', 'idempotency-key': 'xml' },
      body: '<methodCall/>',
    });
  const read = () => member.api.cmsProxy({ body: { fqdn: host, team_id: owner.teamId }, idempotencyKey: 'cms' });
  assert.equal((await call()).status, 200);
  assert.equal((await call()).headers.get('idempotent-replayed'), 'true');
  await read();
  await owner.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: member.userId } });
  const late = await call();
  assert.deepEqual([late.status, ((await late.json()) as { code: string }).code], [409, 'idempotency.rights_lost']);
  await assert.rejects(read(), refused(404, 'application_password.not_found'));
});

async function listen(onSocket: Parameters<typeof createServer>[1]) {
  const server: Server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}
