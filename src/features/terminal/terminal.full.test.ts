import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Site } from '#sdk';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { connect, openTerminal, refusal } from '#testkit/clients/terminal-client.ts';
import { giveContent } from '#testkit/contracts/shell.contract.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { need } from '#testkit/runner/need.ts';
import { runs } from '#testkit/running-processes.ts';

/** Terminals as a page has them, on real shells in real sandboxes. */

const KB = 1024;

let app: TestApp;
let ada: Person;
let site: Site;
before(async () => {
  await need('builds');
  // It costs no PHP while nobody visits the site.
  app = await startTestApp({ runtime: 'php-wasm' });
  ada = await registerPerson(app, 'Ada');
  await putOnPlan(app, ada.teamId, 'micro');
  site = await newSite(ada);
  await giveContent(app, site);
});
after(() => app?.close());

const open = (person: Pick<Person, 'api'> = ada, options = {}) => openTerminal(app, person, site.fqdn, options);
const ticketFor = (person: Person, body = {}) =>
  person.api.createTerminal({ params: { fqdn: site.fqdn }, body: { ...body } });
const listOf = (person: Person) => person.api.listTerminals({ params: { fqdn: site.fqdn } });
const member = async (name: string, role: 'member' | 'viewer' = 'member') => {
  const person = await registerPerson(app, name);
  await letIn(ada, person, role);
  return person;
};

suite('a shell', () => {
  test('runs in the content of the site, knows the size of its window, and ends with its exit code', async () => {
    const terminal = await open(ada, { query: { columns: 91, rows: 17 } });
    await terminal.expect('17 91', 'stty size\r');
    terminal.send({ t: 'size', columns: 120, rows: 40 });
    await terminal.expect('40 120', 'stty size\r');
    await terminal.expect('made', 'echo from-the-terminal > note.txt; echo ma""de\r');
    const file = join(app.runtime.contentFolder(site.id), 'note.txt');
    assert.equal(readFileSync(file, 'utf8'), 'from-the-terminal\n');
    terminal.type('exit 7\r');
    assert.equal((await terminal.gone()).code, 1000);
    assert.deepEqual(terminal.message('exit'), { t: 'exit', code: 7 });
    const events = await ada.api.listSiteEvents({ params: { fqdn: site.fqdn } });
    const opened = events.results.filter(({ event_type }) => event_type === 'site.shell');
    assert.equal(opened.length, 1);
    assert.ok(!JSON.stringify(opened).includes('stty'));
  });

  test('may be told its size while it ends', async () => {
    for (let time = 0; time < 5; time++) {
      const terminal = await open();
      await terminal.expect('$ ');
      terminal.type('exit\r');
      for (let rows = 0; rows < 500 && terminal.socket.readyState === terminal.socket.OPEN; rows++) {
        terminal.send({ t: 'size', columns: 80, rows: 2 + (rows % 50) });
        if (rows % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal((await terminal.gone()).code, 1000);
    }
  });

  test('has jobs, which Ctrl-Z stops and Ctrl-C ends', async () => {
    const terminal = await open();
    await terminal.expect('$ ');
    terminal.type('sleep 43210\r');
    await eventually(async () => runs('43210'));
    await terminal.expect('Stopped', '\x1a');
    await terminal.expect('\rsleep 43210', 'fg\r');
    await terminal.expect('^C', '\x03');
    await terminal.expect('130', 'echo $?\r');
    terminal.type('exit\r');
    await terminal.gone();
  });

  test('leaves nothing running when it is ended, not even what it sent to the background', async () => {
    const terminal = await open();
    await terminal.expect('begun', '(setsid nohup sleep 98765 &) ; sleep 98765 & echo be""gun\r');
    assert.ok(runs('98765'));
    await ada.api.endTerminal({ params: { fqdn: site.fqdn, session_id: terminal.session } });
    assert.equal((await terminal.gone()).code, 4003);
    await eventually(async () => !runs('98765'));
    assert.deepEqual(await listOf(ada), []);
  });
});

suite('a flood', () => {
  test('waits for a page that does not keep up: no more than 256 KB and a read are under way', async () => {
    const slow = await open(ada, { acknowledges: false });
    await slow.expect('$ ');
    slow.type('yes\r');
    let before = -1;
    await eventually(async () => {
      const isStill = slow.bytes === before && slow.bytes > 200 * KB;
      before = slow.bytes;
      return isStill;
    });
    assert.ok(slow.bytes <= (256 + 64) * KB, String(slow.bytes));
    // It goes on when the page has drawn, and by so much.
    slow.acknowledge(slow.bytes);
    await eventually(async () => slow.bytes > before + 200 * KB);
    assert.ok(slow.bytes <= before + (256 + 64) * KB, String(slow.bytes - before));
    slow.socket.terminate();
    await ada.api.endTerminal({ params: { fqdn: site.fqdn, session_id: slow.session } });
  });

  test('is broken off by Ctrl-C within a second', async () => {
    const terminal = await open();
    await terminal.expect('y\r\ny', 'yes\r');
    await eventually(async () => terminal.bytes > 3000 * KB);
    const startedAt = performance.now();
    terminal.type('\x03');
    await terminal.expect(/\^C[\s\S]*\$ $/);
    assert.ok(performance.now() - startedAt < 3_000);
    terminal.type('exit\r');
    await terminal.gone();
  });
});

suite('a ticket', () => {
  test('opens one socket and no second one', async () => {
    const { ticket, socket_path } = await ticketFor(ada);
    const terminal = await connect(app, socket_path, ticket);
    assert.deepEqual(await refusal(app, socket_path, ticket), [403, 'terminal.ticket_refused']);
    terminal.type('exit\r');
    await terminal.gone();
  });

  test('is nothing for a page of another origin, and is still good for ours', async () => {
    const { ticket, socket_path } = await ticketFor(ada);
    const foreign = [403, 'auth.foreign_origin'];
    assert.deepEqual(await refusal(app, socket_path, ticket, { origin: `http://${site.fqdn}` }), foreign);
    assert.deepEqual(await refusal(app, socket_path, ticket, { origin: 'null' }), foreign);
    const terminal = await connect(app, socket_path, ticket, { headers: { origin: app.url } });
    terminal.type('exit\r');
    await terminal.gone();
  });

  test('is for its site alone, for half a minute, and as long as the sign-in that it was asked for with', async () => {
    const { ticket, socket_path } = await ticketFor(ada);
    const other = socket_path.replace(site.fqdn, 'other.localhost');
    const gone = [403, 'terminal.ticket_refused'];
    assert.deepEqual(await refusal(app, other, ticket), gone);
    const late = await ticketFor(ada);
    await app.services.db
      .updateTable('terminal_tickets')
      .set({ expires_at: new Date(Date.now() - 1) })
      .execute();
    assert.deepEqual(await refusal(app, socket_path, late.ticket), gone);
    const again = await signInAs(app, ada.email);
    const orphan = await again.api.createTerminal({ params: { fqdn: site.fqdn }, body: {} });
    await again.api.signOut();
    assert.deepEqual(await refusal(app, socket_path, orphan.ticket), gone);
  });

  test('is given to members, not to viewers or strangers, nor for a site that is worked on', async () => {
    const viewer = await member('Vera', 'viewer');
    await assert.rejects(ticketFor(viewer), refused(403, 'auth.forbidden'));
    await assert.rejects(ticketFor(await registerPerson(app)), refused(404, 'site.not_found'));
    const release = await holdSite(app, site.id, 'restoring');
    await assert.rejects(ticketFor(ada), refused(409, 'site.busy'));
    await release();
    await eventually(async () => {
      const again = await open();
      await eventually(async () => again.message('open') ?? again.closed);
      again.type('exit\r');
      return (await again.gone()).code === 1000;
    });
  });
});

suite('a session', () => {
  test('goes on when its connection is lost, and shows exactly what was missed to whoever takes it up again', async () => {
    const first = await open();
    await first.expect('$ ');
    await first.expect('marked', 'mark=kept; echo mar""ked\r');
    const seen = first.bytes;
    first.type('sleep 0.2; echo mis""sed\r');
    first.socket.terminate();
    await eventually(async () => (await listOf(ada)).some(({ is_attended }) => !is_attended));
    const second = await open(ada, { session: first.session, query: { from: seen } });
    await second.expect('missed');
    assert.ok(!second.shown.includes('marked'));
    assert.equal((second.message('open') as { place: number }).place, seen);
    await second.expect('it is kept', 'echo it is $mark\r');
    // A page that was loaded anew sees it from the beginning, and the window before it is told.
    const third = await open(ada, { session: first.session });
    await third.expect('marked');
    assert.equal((await second.gone()).code, 4001);
    third.type('exit\r');
    await third.gone();
    await assert.rejects(ticketFor(ada, { session_id: first.session }), refused(404, 'terminal.not_found'));
  });

  test("is its owner's alone", async () => {
    const terminal = await open();
    const bob = await member('Bob');
    assert.deepEqual(await listOf(bob), []);
    await assert.rejects(ticketFor(bob, { session_id: terminal.session }), refused(404, 'terminal.not_found'));
    const params = { fqdn: site.fqdn, session_id: terminal.session };
    await assert.rejects(bob.api.endTerminal({ params }), refused(404, 'terminal.not_found'));
    assert.equal((await listOf(ada)).length, 1);
    await ada.api.endTerminal({ params });
  });

  test('ends at once with the rights of its owner: removed from the team, or signed out', async () => {
    const carl = await member('Carl');
    const removed = await open(carl);
    await removed.expect('begun', 'sleep 87654 & echo be""gun\r');
    await ada.api.removeMember({ params: { team_id: ada.teamId, team_member_user_id: carl.userId } });
    await removed.gone();
    await eventually(async () => !runs('87654'));
    const again = await signInAs(app, ada.email);
    const left = await open(again);
    await left.expect('begun', 'sleep 76543 & echo be""gun\r');
    await again.api.signOut();
    await left.gone();
    await eventually(async () => !runs('76543'));
    // It is listed until its groups are gone too, a moment after its last process.
    await eventually(async () => (await listOf(ada)).length === 0);
  });

  test('ends when its owner loses the right while nobody looks at it', async () => {
    const dora = await member('Dora');
    const terminal = await open(dora);
    await terminal.expect('begun', 'sleep 65432 & echo be""gun\r');
    terminal.socket.terminate();
    await eventually(async () => (await listOf(dora)).every(({ is_attended }) => !is_attended));
    await ada.api.removeMember({ params: { team_id: ada.teamId, team_member_user_id: dora.userId } });
    await eventually(async () => !runs('65432'));
  });

  test('ends when some work has the site to itself', async () => {
    const terminal = await open();
    await terminal.expect('begun', 'sleep 54321 & echo be""gun\r');
    const resume = await app.services.localHost?.suspend(site.id);
    assert.ok(!runs('54321'));
    assert.equal((await terminal.gone()).code, 4004);
    resume?.();
  });

  test('is one of thirty that a team may have', { timeout: 60_000 }, async () => {
    const bob = await member('Bob');
    const open30 = [];
    for (let n = 0; n < 30; n++) open30.push(await open(n % 2 ? ada : bob));
    await eventually(async () => (await listOf(ada)).length + (await listOf(bob)).length === 30);
    await assert.rejects(ticketFor(ada), refused(429, 'terminal.too_many'));
    const resume = await app.services.localHost?.suspend(site.id);
    resume?.();
    await Promise.all(open30.map((terminal) => terminal.gone()));
  });
});

suite('the page', () => {
  test('is HTML with a strict policy; what a program asks for has a ticket in it, and the next one comes with the socket', async () => {
    const url = `${app.api}/site/${site.fqdn}/shell_html`;
    const setting = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers });
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-security-policy') ?? '', /script-src 'self';/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const [, json = ''] = /name="siteyard-terminal" content="([^"]*)"/.exec(await answer.text()) ?? [];
      return JSON.parse(json.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));
    };
    const withCookie = await setting({ cookie: `session=${ada.token}` });
    assert.deepEqual(withCookie, { fqdn: site.fqdn, for_stage: false, name: site.fqdn, ticket: null });
    const { ticket } = await setting({ authorization: `Bearer ${ada.token}` });
    const path = `/f/api/v1/site/${site.fqdn}/terminal/socket`;
    const first = await connect(app, path, ticket);
    await first.expect('kept', 'mark=ke""pt; echo $mark\r');
    const next = await eventually(async () => first.message('ticket'));
    first.socket.terminate();
    const second = await connect(app, path, String(next.ticket));
    await second.expect('still kept', 'echo still $mark\r');
    second.type('exit\r');
    await second.gone();
    assert.equal(existsSync(join(app.runtime.contentFolder(site.id), 'note.txt')), true);
  });
});
