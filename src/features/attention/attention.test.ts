import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { keepFound } from '#features/site-software/site-software.view.ts';
import type { Site } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});

const WORDPRESS = '7.1.1';

/** As if the site had said so: so many plugins of it are old, and these are the versions of WordPress that it could have. */
async function found(site: Site, plugins: number, versions: string[] = [WORDPRESS]): Promise<void> {
  const { db } = app.services;
  const items = Array.from({ length: plugins }, (_, at) => {
    const name = `plugin-${at}`;
    return { kind: 'plugin', name, title: name, version: '1.0', state: 'active', update: '2.0' } as const;
  });
  const row = { ...((await findSiteById(db, site.id)) as SiteRow), core_version: WORDPRESS };
  await keepFound(db, row, { items, health: [], unreached: null }, versions);
}

/** A site that was just brought back may have a backup to be looked at, too. */
const needs = async ({ api, teamId }: Person = owner) =>
  (await api.getTeamAttention({ params: { team_id: teamId } })).items
    .filter(({ kind }) => kind === 'security' || kind === 'updates')
    .map(({ kind, severity, fqdn, sites }) => {
      assert.equal(severity, 'warning');
      return [kind, fqdn, sites];
    });

const listed = async (state: 'outdated' | 'insecure') =>
  (await owner.api.listSites({ query: { team_id: owner.teamId, state, sort: 'name' } })).results.map(
    ({ fqdn, updates_waiting, security_update }) => [fqdn, updates_waiting, security_update],
  );

test('updates that wait are one thing to look at however many sites they wait on, and those that mend what is unsafe come first', async () => {
  const [first, second, third] = [
    await newSite(owner, { fqdn: 'a-updates.localhost' }),
    await newSite(owner, { fqdn: 'b-updates.localhost' }),
    await newSite(owner, { fqdn: 'c-updates.localhost' }),
  ];
  await found(first, 0);
  assert.deepEqual(await needs(), []);
  await found(first, 1);
  assert.deepEqual(await needs(), [['updates', first.fqdn, 1]]);
  // A release of another branch brings more than mends.
  await found(second, 1, ['7.2.0', WORDPRESS]);
  await found(third, 0, ['7.2.0', '7.1.3', WORDPRESS]);
  assert.deepEqual(await needs(), [
    ['security', third.fqdn, 1],
    ['updates', null, 2],
  ]);
  assert.deepEqual(await listed('outdated'), [
    [first.fqdn, 1, null],
    [second.fqdn, 2, null],
    [third.fqdn, 1, '7.1.3'],
  ]);
  assert.deepEqual(await listed('insecure'), [[third.fqdn, 1, '7.1.3']]);
  assert.deepEqual(await needs(await registerPerson(app, 'Stranger')), []);

  // A site that comes back after it was deleted is as old as it was.
  await owner.api.deleteSite({ params: { fqdn: third.fqdn } });
  assert.deepEqual(await needs(), [['updates', null, 2]]);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  await operator.api.restoreDeletedSite({ params: { site_id: third.id }, wait: 60 });
  assert.deepEqual((await needs())[0], ['security', third.fqdn, 1]);

  for (const site of [first, second, third]) await found(site, 0);
  assert.deepEqual(await needs(), []);
});
