import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import type { PitRestoreDetail } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** More than an answer shows at once: the list of what a restore changes, read to its end. */
const [FOLDERS, FILES_EACH, TABLES] = [216, 100, 520];
const FILES = FOLDERS * FILES_EACH;
const FIRST = 21_000;

type Changes = NonNullable<PitRestoreDetail['changes']>;
const namesOf = ({ tables, files }: Changes) => [
  ...tables.map(({ name, change }) => `${change} ${name}`),
  ...files.map(({ key, change }) => `${change} ${key}`),
];

suite('the list of changes', () => {
  let app: TestApp;
  let owner: Person;
  let params: { fqdn: string };
  let point: string;
  let disk: ReturnType<typeof siteOnDisk>;
  const all = new Set<string>();

  before(async () => {
    app = await sharedApp();
    owner = await registerPerson(app, 'Owner');
    await putOnPlan(app, owner.teamId, 'business');
    const site = await newSite(owner);
    params = { fqdn: site.fqdn };
    disk = siteOnDisk(app, site.id);
    const { content } = app.runtime.storage(site.id);
    for (let folder = 0; folder < FOLDERS; folder++) {
      mkdirSync(join(content, `uploads/many/${folder}`), { recursive: true });
      for (let file = 0; file < FILES_EACH; file++) {
        writeFileSync(join(content, `uploads/many/${folder}/${file}.txt`), `${folder}-${file}`);
        all.add(`added uploads/many/${folder}/${file}.txt`);
      }
    }
    point = await disk.keep();
    await disk.remove('uploads/many');
    const database = await app.runtime.database(site.id);
    for (let table = 0; table < TABLES; table++) {
      await database.query(`create table wp_later_${table} (id integer primary key)`);
      all.add(`deleted wp_later_${table}`);
    }
    database.close();
  });

  async function ask(url: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
    assert.equal(response.status, 200);
    return response;
  }

  /** Follows the marks to the end. */
  async function readOn(first: PitRestoreDetail, body?: object): Promise<string[]> {
    const names = namesOf(first.changes as Changes);
    for (let next = first.changes_next; next; ) {
      const page = (await (await ask(next, body)).json()) as PitRestoreDetail;
      assert.equal(page.changes_count, FILES + TABLES);
      assert.equal(page.changes?.is_truncated, page.changes_next !== null);
      const found = namesOf(page.changes as Changes);
      assert.ok(found.length > 0 && found.length <= 1000);
      names.push(...found);
      next = page.changes_next;
    }
    return names;
  }

  function assertComplete(names: string[]): void {
    assert.equal(names.length, all.size);
    assert.deepEqual(new Set(names), all);
  }

  test('a preview is read to its end, whatever the site does meanwhile', async () => {
    const body = { restore_point: point };
    const first = await owner.api.previewPitRestore({ params, body });
    assert.deepEqual([first.changes_count, first.changes.is_truncated], [FILES + TABLES, true]);
    assert.equal(namesOf(first.changes).length, FIRST);
    await disk.query('create table wp_a_new_one (id integer primary key)');
    assertComplete(await readOn(first, body));

    // Small pages have the same order, and their marks lead on as well.
    const query = {
      page: 520,
      size: 1,
      now_hash: new URL(first.changes_next as string).searchParams.get('now_hash') as string,
    };
    const last = await owner.api.previewPitRestore({ params, body, query });
    assert.deepEqual(namesOf(last.changes), [`deleted ${first.changes.tables[519]?.name}`]);
    const { changes } = (await (await ask(last.changes_next as string, body)).json()) as PitRestoreDetail;
    assert.deepEqual(changes?.files, [first.changes.files[0]]);

    // What is asked for without that mark is the site as it is by now.
    const anew = await owner.api.previewPitRestore({ params, body, query: { size: 1 } });
    assert.deepEqual([anew.changes_count, anew.changes.tables.length], [FILES + TABLES + 1, 1]);
    await disk.query('drop table wp_a_new_one');
    const wrong = { query: { now_hash: 'f'.repeat(64) } };
    await assert.rejects(owner.api.previewPitRestore({ params, body, ...wrong }), refused(422));
    await assert.rejects(owner.api.previewPitRestore({ params, body, query: { size: 1001 } }), refused(422));
  });

  test('a record has every change, by the page, and as a report', async () => {
    const { id } = await owner.api.createPitRestore({ params, body: { restore_point: point, is_dry_run: true } });
    const one = { ...params, pit_restore_id: id };
    const read = async (query: { format?: 'changes'; page?: number; size?: number } = {}) =>
      (await owner.api.getPitRestore({ params: one, query })) as PitRestoreDetail;
    const running = await read({ format: 'changes' });
    assert.deepEqual([running.changes, running.changes_count, running.changes_next], [null, null, null]);
    await eventually(async () => (await read()).finished_at !== null, 300_000);
    assert.equal((await read()).passed_dry_run, true);

    const first = await read({ format: 'changes' });
    assert.deepEqual([first.changes_count, first.changes?.is_truncated], [FILES + TABLES, true]);
    assert.equal(namesOf(first.changes as Changes).length, FIRST);
    const names = await readOn(first);
    assertComplete(names);
    const paged = await read({ format: 'changes', page: 1, size: 777 });
    assert.deepEqual(await readOn(paged), names);
    const past = await read({ format: 'changes', page: 1000 });
    assert.deepEqual([namesOf(past.changes as Changes), past.changes_next], [[], null]);

    const told: string[] = [];
    for (let url: string | undefined = `${app.api}/site/${params.fqdn}/pit_restore/${id}?format=text`; url; ) {
      const lines: string[] = (await (await ask(url)).text()).trimEnd().split('\n');
      url = /^ {2}more: +(\S+)$/.exec(lines.at(-1) as string)?.[1];
      told.push(...lines.slice(0, url ? -1 : undefined));
    }
    assert.equal(told.filter((line) => line.startsWith('Outcome:')).length, 1);
    const entries = told
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim().split(/ +/).slice(0, 2).join(' '));
    assert.deepEqual(entries, names);
  });
});
