import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { purgeSite } from '#features/deleted-site/purge.jobs.ts';
import type { Operations, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** A site's log, from its own PHP and its visitors to its owner, with a real WordPress. */

let app: TestApp;
let owner: Person;
let site: Site;
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm', env: { PHP_TIMEOUT_SECONDS: '4' } });
  owner = await registerPerson(app, 'Ada');
  await putOnPlan(app, owner.teamId, 'micro');
  site = await newSite(owner);
});
after(() => app.close());

type Query = NonNullable<Operations['listSiteLog']['input']['query']>;

async function read(query: Query = {}, fqdn = site.fqdn) {
  await app.services.siteLog.flush();
  return owner.api.listSiteLog({ params: { fqdn }, query });
}
async function errors(query: Query = {}) {
  const { results } = await read({ size: 100, ...query });
  return results.filter((entry) => entry.kind === 'error');
}
async function visits(query: Query = {}) {
  const { results } = await read({ kind: 'access', size: 100, ...query });
  return results.filter((entry) => entry.kind === 'access');
}

const contentFile = (name: string) => join(app.runtime.contentFolder(site.id), name);

async function put(name: string, code: string): Promise<string> {
  await putFile(app.runtime, site, `plugins/probe/${name}`, `<?php\n${code}`);
  return `/wp-content/plugins/probe/${name}`;
}
async function putMustUse(code: string): Promise<void> {
  await putFile(app.runtime, site, 'mu-plugins/probe.php', `<?php\n${code}`);
}

suite('errors', () => {
  test('what PHP writes to its error log is there with its level, file, line and request, a stack trace in one entry', async () => {
    const path = await put(
      'errors.php',
      `error_log("first\\nin two lines");
trigger_error("a warning\\nwith a break", E_USER_WARNING);
trigger_error('a notice', E_USER_NOTICE);
trigger_error('old', E_USER_DEPRECATED);
error_log("bad byte \\xff, colour \\x1b[31m");
function thrower() { throw new Exception('boom'); }
thrower();`,
    );
    const startedAt = Date.now();
    assert.equal((await visit(app, site.fqdn, `${path}?key=secret&a=b`)).status, 502);
    const found = await eventually(async () => {
      const entries = (await errors()).reverse();
      return entries.length >= 6 && entries;
    });
    const file = 'wp-content/plugins/probe/errors.php';
    const request = `GET ${path}?key=[cut]&a=b`;
    const [fatal] = found.slice(-1);
    assert.deepEqual(
      found.slice(0, -1).map(({ id: _id, at: _at, kind: _kind, ...entry }) => entry),
      [
        { level: 'plain', message: 'first\nin two lines', file: null, line: null, request },
        { level: 'warning', message: 'a warning\nwith a break', file, line: 3, request },
        { level: 'notice', message: 'a notice', file, line: 4, request },
        { level: 'deprecated', message: 'old', file, line: 5, request },
        { level: 'plain', message: 'bad byte \ufffd, colour \ufffd[31m', file: null, line: null, request },
      ],
    );
    assert.equal(
      fatal?.message,
      `Uncaught Exception: boom in ${file}:7\nStack trace:\n#0 ${file}(8): thrower()\n#1 {main}`,
    );
    assert.deepEqual([fatal?.level, fatal?.file, fatal?.line, fatal?.request], ['fatal', file, 7, request]);
    for (const { at } of found) assert.ok(Date.parse(at) >= startedAt - 1 && Date.parse(at) <= Date.now());
  });

  test('a request that is ended for its time is an error, after what it had said by then', async () => {
    const path = await put('loop.php', "error_log('here it goes'); usleep(50000); while (true) {}");
    assert.equal((await visit(app, site.fqdn, path)).status, 504);
    const [ended, said] = await eventually(async () => {
      const entries = await errors({ search: 'loop.php' });
      return entries.length >= 2 && entries;
    });
    assert.equal(ended?.message, 'The site took longer than 4 seconds to answer.');
    assert.equal(ended?.level, 'fatal');
    assert.equal(said?.message, 'here it goes');
    for (const entry of [ended, said]) assert.equal(entry?.request, `GET ${path}`);
  });

  test('one request tells only so much, and says what was left out', async () => {
    const path = await put(
      'flood.php',
      "for ($n = 0; $n < 1500; $n++) error_log('flood ' . $n . str_repeat('x', 50)); echo 'ok';",
    );
    assert.equal((await visit(app, site.fqdn, path)).text, 'ok');
    const [last] = await eventually(async () => {
      const entries = await errors({ search: 'flood.php', size: 1 });
      return entries[0]?.message.includes('left out') && entries;
    });
    const told = 1500 - Number.parseInt(last?.message ?? '', 10);
    assert.ok(told > 100 && told < 1_000, last?.message);
    // Others of the same second are bounded too, and the page is what it was.
    assert.equal((await visit(app, site.fqdn, '/wp-login.php')).status, 200);
  });

  test('scheduled work and a fatal error behind the page that WordPress shows are there as well', async () => {
    await putMustUse(
      "if (defined('DOING_CRON')) error_log('at work by the clock'); if (isset($_GET['break'])) add_action('init', fn() => no_such_function());",
    );
    await visit(app, site.fqdn, '/wp-cron.php?doing_wp_cron');
    const page = await visit(app, site.fqdn, '/?break');
    assert.equal(page.status, 500);
    assert.doesNotMatch(page.text, /no_such_function/);
    const [fatal] = await eventually(async () => {
      const entries = await errors({ search: 'no_such_function' });
      return entries.length > 0 && entries;
    });
    assert.equal(fatal?.file, 'wp-content/mu-plugins/probe.php');
    const [cron] = await errors({ search: 'BY THE CLOCK' });
    assert.equal(cron?.request, 'GET /wp-cron.php?doing_wp_cron');
  });
});

suite('the debug mode', () => {
  const code = `add_action('init', function () {
  if (isset($_GET['ini'])) ini_set('display_errors', '1');
  trigger_error('marked-warning', E_USER_WARNING);
  trigger_error('marked-notice', E_USER_NOTICE);
  _doing_it_wrong('marked_function', 'marked-misuse', '1.0');
});`;
  const levels = async (since: string) => (await errors({ search: 'marked', since })).map(({ level }) => level).sort();

  test('shows the owner more, and visitors nothing, whatever the switch says', async () => {
    const params = { fqdn: site.fqdn };
    await putMustUse(code);
    assert.equal(site.debug_enabled, false);
    const before = new Date().toISOString();
    assert.doesNotMatch((await visit(app, site.fqdn, '/?off')).text, /marked-/);
    assert.deepEqual(await eventually(async () => (await levels(before)).length > 0 && levels(before)), ['warning']);

    const changed = await owner.api.updateSite({ params, body: { debug_enabled: true } });
    assert.equal(changed.debug_enabled, true);
    const [event] = (await owner.api.listSiteEvents({ params, query: { size: 1 } })).results;
    assert.equal(event?.activity, `Ada Tester turned on the debug mode of ${site.fqdn}`);
    const after = new Date().toISOString();
    // The edge hears of it in a moment.
    const seen = await eventually(async () => {
      const page = await visit(app, site.fqdn, `/?on=${Date.now()}`);
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /marked-/);
      return (await levels(after)).includes('notice') && levels(after);
    });
    assert.ok(seen.filter((level) => level === 'notice').length >= 2);
    assert.equal(existsSync(contentFile('debug.log')), false);

    // What the site's own code prints, or has PHP print, is the site's own.
    assert.match((await visit(app, site.fqdn, `/?ini=${Date.now()}`)).text, /marked-warning/);

    await owner.api.updateSite({ params, body: { debug_enabled: false } });
    await rm(contentFile('mu-plugins/probe.php'));
  });
});

suite('visits', () => {
  test('are there with what they asked for and what they got, and can be searched', async () => {
    const headers = {
      'user-agent': 'Reader/1.0 "quoted"',
      referer: 'https://example.net/?token=abc',
      cookie: 'a=secret',
    };
    await visit(app, site.fqdn, '/no-such-page/?s=tea', { headers });
    const { url } = await owner.api.createSiteLogin({ params: { fqdn: site.fqdn } });
    await visit(app, site.fqdn, url.slice(url.indexOf('/wp-login')));
    const [missing] = await eventually(async () => {
      const found = await visits({ search: 'S=TEA' });
      return found.length > 0 && found;
    });
    const { id: _id, at, duration_ms, bytes, ...rest } = missing as NonNullable<typeof missing>;
    assert.deepEqual(rest, {
      kind: 'access',
      method: 'GET',
      path: '/no-such-page/?s=tea',
      status: 404,
      cache: 'MISS',
      client_address: '127.0.0.1',
      user_agent: 'Reader/1.0 "quoted"',
      referrer: 'https://example.net/?token=[cut]',
    });
    assert.ok(bytes > 1000 && duration_ms >= 0 && Math.abs(Date.parse(at) - Date.now()) < 60_000);
    const [login] = await visits({ search: 'siteyard_login' });
    assert.equal(login?.path, '/wp-login.php?siteyard_login=[cut]');
    assert.deepEqual((await visits({ search: 'tea', status: '4xx' })).length, 1);
    assert.deepEqual((await visits({ search: 'tea', status: '404' })).length, 1);
    assert.deepEqual((await visits({ search: 'tea', status: '5xx' })).length, 0);
    await assert.rejects(read({ status: '404' }), refused(422));
    assert.equal(
      (await visits({ search: 'tea', min_duration_ms: Math.max(1, duration_ms) })).length,
      1 - Number(duration_ms === 0),
    );
    assert.equal((await visits({ search: 'tea', min_duration_ms: duration_ms + 1 })).length, 0);
    await assert.rejects(read({ min_duration_ms: 1 }), refused(422));
    await assert.rejects(read({ cursor: 'x' }), refused(422));
  });

  test('come page by page, within the time that is asked for', async () => {
    const from = new Date().toISOString();
    for (let index = 0; index < 7; index++) await visit(app, site.fqdn, `/wp-login.php?page=${index}`);
    await eventually(async () => (await visits({ since: from, search: 'page=' })).length === 7);
    const paths: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ kind: 'access', since: from, search: 'page=', size: 3, ...(cursor && { cursor }) });
      assert.ok(page.results.length <= 3);
      for (const entry of page.results) if (entry.kind === 'access') paths.push(entry.path.slice(-1));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    assert.deepEqual(paths, ['6', '5', '4', '3', '2', '1', '0']);
    assert.equal((await visits({ until: from, search: 'page=' })).length, 0);
  });
});

suite('live', () => {
  /** Reads a stream; `lines` grows until it ends. */
  async function follow(person: Person, query: string, lastEventId?: string) {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${person.token}`, ...(lastEventId && { 'last-event-id': lastEventId }) };
    const url = `${app.api}/site/${site.fqdn}/log/stream?${query}`;
    const response = await fetch(url, { headers, signal: abort.signal });
    const state = { status: response.status, text: '', isOver: false, close: () => abort.abort() };
    const reading = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as ReadableStream<Uint8Array>) state.text += decoder.decode(chunk);
    };
    reading()
      .catch(() => {})
      .finally(() => {
        state.isOver = true;
      });
    if (response.status === 200) await eventually(async () => state.text.includes('id: '));
    return state;
  }

  test('a stream tells what is written from then on, of what was asked for, and goes on after a place', async () => {
    const stream = await follow(owner, 'kind=access&search=live');
    await visit(app, site.fqdn, '/wp-login.php?quiet');
    await visit(app, site.fqdn, '/wp-login.php?live-1');
    await eventually(async () => stream.text.includes('live-1'));
    await visit(app, site.fqdn, '/wp-login.php?live-2');
    await eventually(async () => stream.text.includes('live-2'));
    assert.doesNotMatch(stream.text, /quiet/);
    stream.close();
    const place = /^id: (.*)\nevent: line\ndata: .*live-1/m.exec(stream.text)?.[1];
    const again = await follow(owner, 'kind=access&search=live', place);
    await eventually(async () => again.text.includes('live-2'));
    assert.doesNotMatch(again.text, /live-1/);
    again.close();
  });

  test('a stream ends when its reader leaves the team, and when the site does', async () => {
    const member = await registerPerson(app, 'Member');
    await letIn(owner, member, 'member');
    const stream = await follow(member, '');
    const params = { team_id: owner.teamId, team_member_user_id: member.userId };
    await owner.api.removeMember({ params });
    await eventually(async () => stream.isOver);
    assert.equal((await follow(member, '')).status, 404);

    const viewer = await registerPerson(app, 'Viewer');
    await letIn(owner, viewer, 'viewer');
    assert.equal((await follow(viewer, '')).status, 403);

    const other = await registerPerson(app, 'Other');
    await putOnPlan(app, other.teamId, 'micro');
    await letIn(other, owner, 'admin');
    const own = await follow(owner, '');
    await owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { team_id: other.teamId } });
    await eventually(async () => own.isOver);
  });
});

test('a renamed site keeps its log, a deleted one has it until it is gone for good', async () => {
  const renamed = await owner.api.updateSite({ wait: 60, params: { fqdn: site.fqdn }, body: { new_fqdn: newFqdn() } });
  assert.ok((await read({ kind: 'access' }, renamed.fqdn)).results.length > 0);
  const folder = join(app.services.config.dataDir, 'logs', site.id);
  await owner.api.deleteSite({ wait: 60, params: { fqdn: renamed.fqdn } });
  await assert.rejects(read({}, renamed.fqdn), refused(404, 'site.not_found'));
  assert.equal(existsSync(folder), true);
  const { db, jobs } = app.services;
  await db.updateTable('deleted_sites').set({ is_purging: true }).where('id', '=', site.id).execute();
  await jobs.enqueue(db, purgeSite, { siteId: site.id }, site.id);
  await eventually(async () => !existsSync(folder));
});
