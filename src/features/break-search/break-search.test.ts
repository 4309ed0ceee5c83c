import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { firstBroken } from './first-broken.ts';

let app: TestApp;
let owner: Person;
let site: Site;
const points: string[] = [];

before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  // The fifth minute breaks it.
  for (let minute = 1; minute <= 8; minute++) {
    await disk.setOption('blogname', minute < 5 ? `Fresh rye ${minute}` : `Stale ${minute}`);
    await disk.write(`uploads/${minute}.txt`, 'more');
    points.push(await disk.keep());
  }
});

const search = (body: { path: string; text?: string; text_is?: 'present' | 'absent'; until?: string }) =>
  owner.api.createBreakSearch({ params: { fqdn: site.fqdn }, wait: 120, body });

test('of 500 minutes at most 10 are looked at, wherever the planted one is', async () => {
  const minutes = [...Array(500).keys()];
  for (const planted of [0, 1, 249, 250, 498, 499, 500]) {
    let looks = 0;
    const found = await firstBroken(minutes, async (minute) => {
      looks++;
      return minute >= planted;
    });
    assert.equal(found, planted);
    assert.ok(looks <= 10, `${looks} looks`);
  }
});

test('names the minute, the one before it and what came with it, and leaves no copy behind', async () => {
  const found = await search({ path: '/', text: 'Fresh rye' });
  assert.deepEqual([found.state, found.failure], ['found', null]);
  assert.deepEqual([found.good_point, found.bad_point], [points[3], points[4]]);
  assert.ok(found.looks <= 4, `${found.looks} looks`);
  assert.deepEqual(found.changes.map(({ name, change }) => `${name} ${change}`).sort(), [
    'uploads/5.txt added',
    'wp_options changed',
  ]);
  assert.equal((await search({ path: '/', text: 'Stale', text_is: 'absent' })).bad_point, points[4]);
  const { rows } = await sql`select from sites where of_site_id = ${site.id}`.execute(app.services.db);
  assert.equal(rows.length, 0);
  const again = { fqdn: site.fqdn, break_search_id: found.id };
  assert.deepEqual(await owner.api.getBreakSearch({ params: again }), found);
});

test('says so where it was never fine, or never broken', async () => {
  assert.equal((await search({ path: '/', text: 'No such text' })).state, 'never_fine');
  assert.equal((await search({ path: '/', text: 'Fresh rye', until: points[3] as string })).state, 'never_broken');
});

test('refuses a time of which nothing is kept', async () => {
  await assert.rejects(search({ path: '/', until: '2001-01-01T00:00:00Z' }), refused(409, 'break_search.nothing'));
});
