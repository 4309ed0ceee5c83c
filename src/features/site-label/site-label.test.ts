import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { sumLabels } from './site-label.sql.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

test('labels say how many sites of the team have them, whatever becomes of the sites and of the tally', async () => {
  const { db } = app.services;
  const owner = await registerPerson(app);
  await putOnPlan(app, owner.teamId, 'micro');
  const params = { team_id: owner.teamId };
  const [one, two] = [await newSite(owner), await newSite(owner)];
  const label = (body: { fqdns: string[]; add?: string[]; remove?: string[] }) =>
    owner.api.labelSites({ params, body });
  const counts = async () =>
    Object.fromEntries((await owner.api.listSiteLabels({ params })).results.map((each) => [each.label, each.sites]));

  await label({ fqdns: [one.fqdn, two.fqdn], add: ['client', 'shop'] });
  assert.deepEqual(await counts(), { client: 2, shop: 2 });
  await Promise.all([sumLabels(db), label({ fqdns: [one.fqdn], remove: ['shop'] }), sumLabels(db)]);
  assert.deepEqual(await counts(), { client: 2, shop: 1 });
  await owner.api.deleteSite({ params: { fqdn: two.fqdn }, wait: 60 });
  assert.deepEqual(await counts(), { client: 1 });
  await sumLabels(db);
  const { rows } = await sql`select label, sites from label_tallies where team_id = ${owner.teamId}`.execute(db);
  assert.deepEqual(rows, [{ label: 'client', sites: 1 }]);
});

test('a site can have as many labels, as long and of as rare letters, as there can be', async () => {
  const owner = await registerPerson(app);
  const { fqdn } = await newSite(owner);
  // Four bytes each, which no compression makes less of.
  const rare = () => String.fromCodePoint(...Array.from({ length: 40 }, () => randomInt(0x20000, 0x2a000)));
  const add = Array.from({ length: 20 }, rare);
  const params = { team_id: owner.teamId };
  assert.equal((await owner.api.labelSites({ params, body: { fqdns: [fqdn], add } })).changed, 1);
  assert.equal((await owner.api.listSiteLabels({ params })).results.length, 20);
  await assert.rejects(
    owner.api.labelSites({ params, body: { fqdns: [fqdn], add: ['one more'] } }),
    refused(409, 'site.too_many_labels'),
  );
});
