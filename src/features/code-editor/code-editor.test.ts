import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { PLANS } from '#features/plan/plan.ts';
import type { Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { standInCache } from '../../../test/code-server/stand-in.ts';

let app: TestApp;
let cache: string;
let owner: Person;
let member: Person;
let viewer: Person;
let site: Site;
let host: string;

before(async () => {
  cache = await standInCache();
  app = await startTestApp({ env: { CACHE_DIR: cache, RATE_LIMIT_FACTOR: '1' } });
  [owner, member, viewer] = await Promise.all([
    registerPerson(app, 'Owner'),
    registerPerson(app, 'Member'),
    registerPerson(app, 'Viewer'),
  ]);
  await letIn(owner, member, 'member');
  await letIn(owner, viewer, 'viewer');
  site = await newSite(owner);
  site = await change({ code_server_enabled: true });
  host = `code-${site.fqdn}`;
});
after(async () => {
  await app?.close();
  await rm(cache, { recursive: true, force: true });
});

const change = (body: object) => owner.api.updateSite({ params: { fqdn: site.fqdn }, body });
const origin = () => `http://${host}:${new URL(app.url).port}`;
const PAGE = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-dest': 'document',
};
const open = (path: string, headers: Record<string, string> = {}) => visit(app, host, path, { headers });
const editorOf = async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).properties.code_server;
const cookieOf = (answer: { headers: NodeJS.Dict<string | string[]> }) =>
  String(answer.headers['set-cookie']).split(';')[0] as string;

/** As a browser that follows the dashboard's link. */
async function comeIn(person: Person): Promise<string> {
  const { url } = await person.api.createCodeServerLogin({ params: { fqdn: site.fqdn } });
  const { pathname, search, hostname } = new URL(url);
  assert.equal(hostname, host);
  const answer = await open(`${pathname}${search}`, PAGE);
  assert.equal(answer.status, 303);
  return cookieOf(answer);
}

const send = (password: string, headers: Record<string, string> = {}) =>
  visit(app, host, '/.siteyard/editor', {
    method: 'POST',
    headers: { origin: origin(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ password }).toString(),
  });

/** Resolves with the status of the answer, and the socket where it is one. */
async function join(headers: Record<string, string>): Promise<{ status: number; socket: Socket }> {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  const all = { host: `${host}:${port}`, connection: 'Upgrade', upgrade: 'websocket', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /socket HTTP/1.1\r\n${lines.join('')}\r\n`);
  const head = await new Promise<string>((resolve, reject) => {
    socket.once('data', (bytes) => resolve(bytes.toString())).once('error', reject);
    socket.once('close', () => reject(new Error('it was closed without an answer')));
  });
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), socket };
}
const isClosed = (socket: Socket) => eventually(async () => socket.closed);

suite('the door of an editor', () => {
  test('opens with a link of the dashboard, once, for members and above alone', async () => {
    assert.equal((await open('/', PAGE)).status, 401);
    await assert.rejects(viewer.api.createCodeServerLogin({ params: { fqdn: site.fqdn } }), refused(403));
    const { url } = await member.api.createCodeServerLogin({ params: { fqdn: site.fqdn } });
    const { pathname, search } = new URL(url);
    const first = await open(`${pathname}${search}`, PAGE);
    assert.equal(first.status, 303);
    assert.match(String(first.headers['set-cookie']), /HttpOnly; SameSite=Lax/);
    assert.equal((await open(`${pathname}${search}`, PAGE)).status, 403);
    assert.equal((await open('/', { ...PAGE, cookie: cookieOf(first) })).status, 200);
    assert.deepEqual(await editorOf(), { state: 'running', url: origin() });
  });

  test('opens by no password while the owner of the team has not confirmed their address', async () => {
    const confirm = (is_verified: boolean) =>
      app.services.db.updateTable('users').set({ is_verified }).where('id', '=', owner.userId).execute();
    await confirm(false);
    const refusal = await send(site.code_server_password);
    await confirm(true);
    assert.equal(refusal.status, 403);
    assert.match(refusal.text, /has to confirm their email address/);
    assert.equal(refusal.headers['set-cookie'], undefined);
  });

  test('opens with the password, whichever it is now, and takes only so many wrong ones', async () => {
    const wrong = await send('not the password');
    assert.equal(wrong.status, 403);
    assert.equal(wrong.headers['set-cookie'], undefined);
    assert.equal((await send(site.code_server_password, { origin: 'http://elsewhere.localhost' })).status, 403);
    const right = await send(site.code_server_password);
    assert.equal(right.status, 303);
    const cookie = cookieOf(right);
    assert.equal((await open('/', { ...PAGE, cookie })).status, 200);

    const changed = await change({ code_server_password: 'another password' });
    assert.equal(changed.code_server_password, 'another password');
    assert.equal((await viewer.api.getSite({ params: { fqdn: site.fqdn } })).code_server_password, '');
    assert.equal((await open('/', { ...PAGE, cookie })).status, 401);
    assert.equal((await send('another password')).status, 303);
    let answer = wrong;
    for (let tries = 0; tries < 12; tries++) answer = await send('not the password');
    assert.equal(answer.status, 429);
  });

  test('passes nothing of ours on, and nothing that pages of other sites ask for', async () => {
    const cookie = await comeIn(member);
    const answer = await open('/page?x=1', {
      ...PAGE,
      cookie: `${cookie}; session=ours; __Host-session=ours; vscode-tkn=theirs`,
      authorization: 'Bearer ours',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
    });
    const seen = JSON.parse(answer.text);
    assert.equal(seen.url, '/page?x=1');
    assert.equal(seen.headers.cookie, 'vscode-tkn=theirs');
    for (const name of ['authorization', 'x-forwarded-for', 'forwarded', 'x-real-ip'])
      assert.equal(seen.headers[name], undefined);
    assert.deepEqual(answer.headers['set-cookie'], ['vscode-tkn=1']);
    assert.equal(seen.env.DATABASE_URL, undefined);

    const script = { cookie, 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'script' };
    assert.equal((await open('/secret.js', script)).status, 403);
    const frame = { ...PAGE, cookie, 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' };
    assert.equal((await open('/', frame)).status, 403);
    const post = { method: 'POST', headers: { cookie, origin: 'http://elsewhere.localhost' } };
    assert.equal((await visit(app, host, '/', post)).status, 403);
    assert.equal((await join({ cookie, origin: 'http://elsewhere.localhost' })).status, 403);
    assert.equal((await join({ origin: origin() })).status, 403);
    const { status, socket } = await join({ cookie, origin: origin() });
    assert.equal(status, 101);
    socket.destroy();
  });

  test('closes at once with the rights, the password and the switch that opened it', async () => {
    const guest = await registerPerson(app, 'Guest');
    await letIn(owner, guest, 'member');
    const cookie = await comeIn(guest);
    const { socket } = await join({ cookie, origin: origin() });
    await owner.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: guest.userId } });
    await isClosed(socket);
    assert.equal((await open('/', { ...PAGE, cookie })).status, 401);

    const byOwner = await comeIn(owner);
    const own = await join({ cookie: byOwner, origin: origin() });
    await change({ code_server_enabled: false });
    await isClosed(own.socket);
    assert.equal((await open('/', { ...PAGE, cookie: byOwner })).status, 404);
    await eventually(async () => app.runtime.editors.running.length === 0);
    await assert.rejects(comeIn(owner), refused(409, 'site.code_server_off'));
    await change({ code_server_enabled: true });
    await eventually(async () => (await open('/', PAGE)).status === 401);
  });
});

suite('an editor', () => {
  test('sleeps when it is told to, and only a page that somebody opens wakes it', async () => {
    const cookie = await comeIn(owner);
    await open('/', { ...PAGE, cookie });
    await owner.api.sleepSite({ params: { fqdn: site.fqdn }, query: { for_code_server: true } });
    assert.deepEqual(app.runtime.editors.running, []);
    const asked = await open('/resource', { cookie, 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' });
    assert.equal(asked.status, 503);
    assert.equal((await join({ cookie, origin: origin() })).status, 503);
    assert.deepEqual(app.runtime.editors.running, []);
    assert.equal((await open('/', { ...PAGE, cookie })).status, 200);
  });

  test('begins anew where what it keeps for itself has become too much', async () => {
    await owner.api.sleepSite({ params: { fqdn: site.fqdn }, query: { for_code_server: true } });
    const home = `${app.services.config.dataDir}/editors/${site.id}`;
    execFileSync('bash', ['-c', 'head -c 300M /dev/zero > much'], { cwd: home });
    assert.equal((await open('/', { ...PAGE, cookie: await comeIn(owner) })).status, 200);
    assert.equal(existsSync(`${home}/much`), false);
  });

  test('ends where the site takes up more than the plan leaves it, and does not start then', async () => {
    await owner.api.sleepSite({ params: { fqdn: site.fqdn }, query: { for_code_server: true } });
    const cookie = await comeIn(owner);
    // 20 MB are left of the smallest plan.
    const { storage_bytes } = PLANS.free;
    const fill = (bytes: number) =>
      sql`update teams set storage_usage = ${bytes} where id = ${owner.teamId}`.execute(app.services.db);
    await fill(storage_bytes - 20e6);
    assert.equal((await open('/', { ...PAGE, cookie })).status, 200);
    await siteOnDisk(app, site.id).write('uploads/much.bin', 'x'.repeat(30e6));
    await eventually(async () => app.runtime.editors.running.length === 0);
    await fill(storage_bytes + 1);
    const { status, text } = await open('/', { ...PAGE, cookie });
    assert.equal(status, 503);
    assert.match(text, /no room left on the disk/);
    await fill(0);
    await siteOnDisk(app, site.id).remove('uploads/much.bin');
  });

  test('writes what the site shows, in its sandbox, and ends when some work takes the site', async () => {
    const cookie = await comeIn(owner);
    const to = '/site/wordpress/wp-content/uploads/note.txt';
    const answer = await open(`/write?to=${to}&text=hello`, { ...PAGE, cookie });
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(answer.text).args.at(-1), '/site/wordpress/wp-content');
    assert.equal(await siteOnDisk(app, site.id).read('uploads/note.txt'), 'hello');
    assert.equal((await visit(app, site.fqdn, '/wp-content/uploads/note.txt')).text, 'hello');

    const release = await holdSite(app, site.id);
    await eventually(async () => app.runtime.editors.running.length === 0);
    assert.equal((await open('/', { ...PAGE, cookie })).status, 503);
    await release();
  });

  test('has a name that no site can have, and goes with its site', async () => {
    await assert.rejects(newSite(owner, { fqdn: `code-${site.fqdn}` }), refused(422));
    await assert.rejects(
      owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { new_fqdn: 'code-x.localhost' } }),
      refused(422),
    );
    await owner.api.deleteSite({ params: { fqdn: site.fqdn }, wait: 60 });
    assert.deepEqual(app.runtime.editors.running, []);
    assert.equal((await open('/', PAGE)).status, 404);
  });
});
