import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { ApiError, Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** The operation, on sites without PHP and with the limited shell; what a shell itself must do is in shell.contract.ts. */

let app: TestApp;
let owner: Person;
let site: Site;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Ada');
  site = await newSite(owner);
});

type Wish = NonNullable<Parameters<Person['api']['runSiteCommand']>[0]['body']>;
const run = (body: Wish) => owner.api.runSiteCommand({ params: { fqdn: site.fqdn }, body });
const contentFile = (name: string) => join(app.runtime.contentFolder(site.id), name);

test('a command answers with what it wrote and how it ended, named in the query or in the body', async () => {
  const { duration_ms: _, ...answer } = await run({ cmd: 'cat; echo err >&2; exit 3', stdin: 'given' });
  assert.deepEqual(answer, {
    exit_code: 3,
    stdout: 'given',
    stderr: 'err\n',
    truncated: false,
    restore_point: null,
    restore_point_before: null,
    backup_failure: null,
  });
  const asked = await owner.api.runSiteCommand({ params: { fqdn: site.fqdn }, query: { cmd: 'pwd', cwd: 'plugins' } });
  assert.equal(asked.stdout, '/site/wordpress/wp-content/plugins\n');
  assert.equal(
    ((await owner.api.getSite({ params: { fqdn: site.fqdn } })).properties as { shell: string }).shell,
    'limited',
  );
});

test('no command, a folder that is not there and a missing stage are refused, and nothing runs', async () => {
  await assert.rejects(run({}), refused(422));
  await assert.rejects(run({ cmd: 'touch ran', cwd: 'no/such' }), refused(422));
  await assert.rejects(run({ cmd: 'touch ran\0' }), refused(422));
  await assert.rejects(run({ cmd: 'touch ran', stage: true }), refused(404, 'stage.missing'));
  assert.equal(existsSync(contentFile('ran')), false);
});

test('its event has the first word and the length, and nothing else of it', async () => {
  await run({ cmd: 'echo password=hunter2 > /dev/null' });
  const { results } = await owner.api.listSiteEvents({ params: { fqdn: site.fqdn }, query: {} });
  const event = results.find(({ event_type }) => event_type === 'site.shell');
  assert.match(event?.activity ?? '', / ran echo in the shell of /);
  assert.doesNotMatch(JSON.stringify(results), /hunter2/);
});

test('what it changes in a tracked folder is a restore point of its own, and so is what was before', async () => {
  const { restore_point: point, restore_point_before: before } = await run({
    cmd: 'touch tracked.txt',
    auto_track_dir: '.',
    snapshot_first: true,
  });
  assert.equal(point?.name, 'touch');
  const query = (at: string | undefined) => ({ restore_point: at ?? '', prefix: 'tracked.txt' });
  const files = async (at: string | undefined) =>
    (await owner.api.listPitFiles({ params: { fqdn: site.fqdn }, query: query(at) })).files.map(({ key }) => key);
  assert.deepEqual(await files(point?.created_at), ['tracked.txt']);
  assert.deepEqual(await files(before?.created_at), []);
});

test('a tracked folder lies in wp-content and is there after the command', async () => {
  for (const auto_track_dir of ['../../etc', '/etc', 'uploads/../..', 'a\0'])
    await assert.rejects(run({ cmd: 'touch outside', auto_track_dir }), (error: ApiError) => {
      refused(422)(error);
      assert.deepEqual(error.faults[0]?.loc, ['body', 'auto_track_dir']);
      return true;
    });
  assert.equal(existsSync(contentFile('outside')), false);
  const missing = await run({ cmd: 'true', auto_track_dir: 'no/such/dir' });
  assert.equal(missing.restore_point, null);
  assert.match(missing.backup_failure ?? '', /no folder no\/such\/dir/);
  const absolute = '/site/wordpress/wp-content/new/folder';
  for (const auto_track_dir of ['new/folder', absolute, 'true'])
    assert.ok((await run({ cmd: `mkdir -p ${absolute}`, auto_track_dir })).restore_point, auto_track_dir);
  assert.equal((await run({ cmd: 'true', auto_track_dir: 'false' })).restore_point, null);
});

test('a command ends with whoever asked for it', async () => {
  const caller = new AbortController();
  const path = `/f/api/v1/site/${site.fqdn}/shell`;
  const asked = fetch(new URL(path, app.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cmd: 'touch begun; sleep 2; touch ended' }),
    signal: caller.signal,
  });
  await eventually(async () => existsSync(contentFile('begun')));
  caller.abort();
  await assert.rejects(asked);
  // Whatever comes after it waits for nobody.
  assert.equal((await run({ cmd: 'sleep 2; ls ended' })).exit_code, 2);
});

test('a team runs five commands at a time', async () => {
  const running = Array.from({ length: 5 }, (_, number) => run({ cmd: `touch go${number}; sleep 30` }));
  const ends = Promise.allSettled(running);
  await eventually(async () => [0, 1, 2, 3, 4].every((number) => existsSync(contentFile(`go${number}`))));
  await assert.rejects(run({ cmd: 'true' }), refused(429, 'shell.too_many'));
  const resume = await app.runtime.suspend(site.id);
  await ends;
  await assert.rejects(run({ cmd: 'true' }), refused(409, 'site.busy'));
  resume();
  assert.equal((await run({ cmd: 'true' })).exit_code, 0);
});
