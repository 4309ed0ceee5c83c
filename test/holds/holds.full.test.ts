import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type PitRestoreDetail, type Site } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';

/**
 * Three processes share one platform: one answers the API and does the jobs, two serve the site. While visitors of both
 * write to its WordPress without a pause, the site is renamed, restored, deleted and brought back. Nothing is written to
 * the old state once the work has it, and what a visitor was told is written is there. ROUNDS=10 for the long form; the short
 * one renames.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const IS_LONG = process.env.ROUNDS !== undefined;
const WRITERS_PER_EDGE = 2;
const COMPUTE_SECONDS = 8;

/** Takes its time between what it reads and what it writes: whoever takes the site meanwhile has to wait for it, or end it. */
const PLUGIN = `<?php
add_action('init', function () {
  if (!isset($_GET['mark'])) return;
  $mark = preg_replace('/[^a-z0-9]/', '', $_GET['mark']);
  $address = home_url();
  usleep(400000);
  // Without a pause, so that nothing but a kill ends it.
  for ($end = microtime(true) + (int) ($_GET['compute'] ?? 0); microtime(true) < $end;);
  if (!add_option("mark_$mark", $address, '', false)) wp_die('not written', 500);
  if (file_put_contents(WP_CONTENT_DIR . "/uploads/mark-$mark.txt", $address) === false) wp_die('not written', 500);
  header('Cache-Control: no-store');
  exit("written $mark");
});
`;

let app: TestApp;
let owner: Person;
let site: Site;
const edges: (ServiceProcess & { url: string })[] = [];
before(async () => {
  app = await startTestApp({ runtime: 'php-wasm', env: { ROLE: 'api,worker' } });
  // Who answers the API and does the jobs has no site within reach, but through the door of these.
  for (let n = 0; n < 2; n++) edges.push(await startEdge());
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  site = await newSite(owner);
  await siteOnDisk(app, site.id).write('mu-plugins/marks.php', PLUGIN);
  await siteOnDisk(app, site.id).write('uploads/first.txt', 'first');
});
after(async () => {
  for (const edge of edges) edge.kill('SIGTERM');
  await Promise.all(edges.map(({ exited }) => exited));
  await app?.close();
});

async function startEdge() {
  const { config } = app.services;
  const port = await freePort();
  const edge = spawnService({
    ROLE: 'edge,host',
    PORT: String(port),
    BASE_URL: app.url,
    DATA_DIR: config.dataDir,
    DATABASE_URL: app.databaseUrl,
    SECRET_KEY: config.secretKey as string,
    PHP_COMPILER: 'baseline',
    LOG_LEVEL: 'warn',
  });
  await edge.ready;
  return { ...edge, url: `http://localhost:${port}` };
}

/** Visitors who write without a pause, at both edges. */
class Writers {
  /** What a visitor was told is written, in order. */
  readonly written: string[] = [];
  fqdn = site.fqdn;
  #isOver = false;
  #next = 0;
  readonly #running: Promise<unknown>;

  constructor() {
    const all = edges.flatMap((edge) => Array.from({ length: WRITERS_PER_EDGE }, () => this.#write(edge)));
    this.#running = Promise.all(all);
  }

  /** Resolves when visitors of both edges were told so. */
  async haveWritten(more: number): Promise<void> {
    const wanted = this.written.length + more;
    await eventually(async () => this.written.length >= wanted, 240_000);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #write(edge: { url: string }): Promise<void> {
    while (!this.#isOver) {
      const mark = `m${this.#next++}`;
      const headers = { host: `${this.fqdn}:${new URL(app.url).port}` };
      const answer = await visit(edge, this.fqdn, `/?mark=${mark}`, { headers }).catch(() => undefined);
      if (answer?.status === 200 && answer.text === `written ${mark}`) this.written.push(mark);
      else await sleep(100);
    }
  }
}

/** The marks in the database and on disk, each with the address that it was written with. */
async function marks(): Promise<{ rows: Map<string, string>; files: Map<string, string> }> {
  const disk = siteOnDisk(app, site.id);
  const rows = await disk.query(
    "select option_name, option_value from wp_options where option_name like 'mark!_%' escape '!'",
  );
  return {
    rows: new Map(rows.map((row) => [String(row.option_name).slice('mark_'.length), String(row.option_value)])),
    files: await disk.files('uploads', /^mark-(.*)\.txt$/),
  };
}

/** What is missing of what visitors were told is there. */
async function lost(written: readonly string[], alsoIn: ReadonlySet<string> = new Set()): Promise<string[]> {
  const { rows, files } = await marks();
  return written.filter((mark) => !(rows.has(mark) && files.has(mark)) && !alsoIn.has(mark));
}

suite('while two other processes serve a site to visitors who write', { timeout: 1_200_000 }, () => {
  for (let round = 0; round < ROUNDS; round++) {
    test(`a rename leaves nothing of the old address and loses nothing (${round})`, async () => {
      const writers = new Writers();
      await writers.haveWritten(6);
      const before = site.fqdn;
      const params = { fqdn: before };
      site = await owner.api.updateSite({ params, wait: 60, body: { new_fqdn: newFqdn() } });
      await eventually(async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy === null, 240_000);
      writers.fqdn = site.fqdn;
      await writers.haveWritten(4);
      await writers.stop();
      const { rows } = await marks();
      assert.deepEqual(
        [...rows].filter(([, address]) => address.includes(before)),
        [],
        'written to the old state',
      );
      assert.deepEqual(await lost(writers.written), []);
    });

    if (!IS_LONG) continue;

    test(`a restore loses nothing that visitors were told is there (${round})`, async () => {
      const point = await siteOnDisk(app, site.id).keep();
      const writers = new Writers();
      await writers.haveWritten(6);
      const restore = await owner.api.createPitRestore({
        params: { fqdn: site.fqdn },
        wait: 60,
        body: { restore_point: point, delete_extra_files: true },
      });
      const done = await eventually(async () => {
        const params = { fqdn: site.fqdn, pit_restore_id: restore.id };
        const now = (await owner.api.getPitRestore({ params })) as PitRestoreDetail;
        return now.finished_at !== null && now;
      }, 240_000);
      assert.equal(done.failed_reason, null);
      await writers.haveWritten(4);
      await writers.stop();
      const { rows, files } = await marks();
      const later = new Set(writers.written.filter((mark) => rows.has(mark) && files.has(mark)));
      assert.ok(later.size >= 4 && later.size < writers.written.length, 'the restore took nothing away');
      // What the restore took away is in the state that it kept first.
      await owner.api.createPitRestore({
        params: { fqdn: site.fqdn },
        wait: 60,
        body: { restore_point: done.undo_point as string, delete_extra_files: true },
      });
      await eventually(async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy === null, 240_000);
      assert.deepEqual(await lost(writers.written, later), []);
    });

    test(`a site that is deleted and brought back has all that visitors were told is there (${round})`, async () => {
      const writers = new Writers();
      await writers.haveWritten(6);
      await owner.api.deleteSite({ params: { fqdn: site.fqdn }, wait: 60 });
      const told = [...writers.written];
      const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
      const admin = createClient({ baseUrl: app.url, token: operator.token });
      await admin.restoreDeletedSite({ params: { site_id: site.id }, wait: 60 });
      await eventually(async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy === null, 240_000);
      await writers.haveWritten(4);
      await writers.stop();
      assert.ok(told.length >= 6);
      assert.deepEqual(await lost(writers.written), []);
    });
  }

  test('what a process that was killed left running does not write to the old state either', async () => {
    const [edge] = edges as [(typeof edges)[0]];
    const before = site.fqdn;
    const headers = { host: `${before}:${new URL(app.url).port}` };
    const computing = visit(edge, before, `/?mark=orphan&compute=${COMPUTE_SECONDS}`, { headers }).catch(
      () => undefined,
    );
    const isOver = sleep(COMPUTE_SECONDS * 1000 + 3_000);
    // Its PHP is at it by then, or has not begun; either way it must not end it.
    await sleep(1_500);
    edge.kill('SIGKILL');
    await computing;
    site = await owner.api.updateSite({ params: { fqdn: before }, wait: 60, body: { new_fqdn: newFqdn() } });
    await eventually(async () => (await owner.api.getSite({ params: { fqdn: site.fqdn } })).busy === null, 240_000);
    await isOver;
    const { rows, files } = await marks();
    assert.deepEqual([rows.get('orphan'), files.get('orphan')], [undefined, undefined]);
  });
});
