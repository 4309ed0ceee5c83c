import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type Db, inTransaction } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { findSitesCalled, listEventsOfSites } from './event.sql.ts';

/** What the lists say of a site: it keeps its events under other names and in other teams. */

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.close());

async function personOn(plan: string): Promise<Person> {
  const person = await registerPerson(app);
  await putOnPlan(app, person.teamId, plan);
  return person;
}

const rename = (person: Person, fqdn: string, new_fqdn: string) =>
  person.api.updateSite({ wait: 60, params: { fqdn }, body: { new_fqdn } });

const byName = async (person: Person, fqdn: string) => {
  const { results } = await person.api.listEvents({ query: { fqdn } });
  return results.map(({ activity }) => activity);
};
const ofSite = async (person: Person, fqdn: string) => {
  const { results } = await person.api.listSiteEvents({ params: { fqdn } });
  return results.map(({ activity }) => activity);
};

test('a name finds the site with all that happened under its earlier names, and an earlier name finds it too', async () => {
  const owner = await personOn('micro');
  const { fqdn: first } = await newSite(owner);
  const second = newFqdn();
  await rename(owner, first, second);
  await owner.api.updateSite({ params: { fqdn: second }, body: { http_auth_enabled: true } });
  const all = [
    `Person Tester turned on the sign-in of ${second}`,
    `Person Tester renamed ${first} to ${second}`,
    `Person Tester created ${first}`,
  ];
  assert.deepEqual(await ofSite(owner, second), all);
  assert.deepEqual(await byName(owner, second), all);
  assert.deepEqual(await byName(owner, first.toUpperCase()), all);

  // The name leads to the site until its owner lets go of it.
  await owner.api.deleteSiteDomain({ params: { fqdn: second, domain: first } });
  all.unshift(...(await ofSite(owner, second)).slice(0, -all.length));
  // A stranger's site under the earlier name is nothing to this caller.
  const stranger = await personOn('micro');
  await newSite(stranger, { fqdn: first });
  assert.deepEqual(await byName(owner, first), all);
  assert.deepEqual(await byName(stranger, first), [`Person Tester created ${first}`]);
  assert.deepEqual(await byName(stranger, second), []);
  await stranger.api.deleteSite({ wait: 60, params: { fqdn: first } });

  // One of their own takes the name over, also from what was told of the site that had it before.
  await newSite(owner, { fqdn: first });
  assert.deepEqual(await byName(owner, first), [`Person Tester created ${first}`]);
  assert.deepEqual(await byName(owner, second), all);
});

test('a name finds what happened to a deleted site of that name, beside the one that has it now', async () => {
  const owner = await personOn('micro');
  const { fqdn } = await newSite(owner);
  await owner.api.deleteSite({ wait: 60, params: { fqdn } });
  const gone = [`Person Tester deleted ${fqdn}`, `Person Tester created ${fqdn}`];
  assert.deepEqual(await byName(owner, fqdn), gone);
  await newSite(owner, { fqdn });
  assert.deepEqual(await byName(owner, fqdn), [`Person Tester created ${fqdn}`, ...gone]);
  assert.deepEqual(await ofSite(owner, fqdn), [`Person Tester created ${fqdn}`]);
});

test('a site keeps its events when it moves: both teams see all, the new team what happened since, the old one what was', async () => {
  const [mover, old, fresh] = [await personOn('micro'), await registerPerson(app), await personOn('micro')];
  await letIn(mover, old, 'viewer');
  await letIn(fresh, mover, 'admin');
  const { fqdn } = await newSite(mover);
  await mover.api.updateSite({ params: { fqdn }, body: { team_id: fresh.teamId } });
  const later = newFqdn();
  await rename(mover, fqdn, later);

  const before = [`Person Tester moved ${fqdn} to another team`, `Person Tester created ${fqdn}`];
  const since = [`Person Tester renamed ${fqdn} to ${later}`, `Person Tester moved ${fqdn} to this team`];
  // The move is told twice in one instant, so their order says nothing.
  const sorted = (list: string[]) => list.toSorted();
  assert.deepEqual(sorted(await ofSite(mover, later)), sorted([...since, ...before]));
  assert.deepEqual(sorted(await byName(mover, later)), sorted([...since, ...before]));
  assert.deepEqual(sorted(await byName(mover, fqdn)), sorted([...since, ...before]));
  assert.deepEqual(await ofSite(fresh, later), since);
  assert.deepEqual(await byName(fresh, later), since);
  assert.deepEqual(await byName(fresh, fqdn), since);
  assert.deepEqual(await byName(old, fqdn), before);
  // The name that it got elsewhere tells the old team nothing.
  assert.deepEqual(await byName(old, later), []);
});

test('pages of a site that had several names and teams show every event once, and read no table from end to end', async () => {
  const [owner, other] = [await registerPerson(app), await registerPerson(app)];
  const { db } = app.services;
  const teamIds = [owner.teamId, other.teamId];
  const siteId = crypto.randomUUID();
  // Many share an instant, so that only the id tells their order; three times as many are of other sites.
  await sql`insert into events (team_id, user_id, site_live_id, fqdn, scope, event_type, activity, created_at)
    select (array[${owner.teamId}, ${other.teamId}]::uuid[])[1 + n / 4 % 2], ${owner.userId},
      case when n % 4 = 0 then ${siteId}::uuid else gen_random_uuid() end,
      case when n % 4 = 0 then 'name-' || n % 3 || '.example.com' else 'other-' || n || '.example.com' end,
      'site', 'site.updated', n::text, now() - make_interval(secs => n / 100)
    from generate_series(1, 16000) n`.execute(db);
  await recordEvent(db, {
    scope: 'team',
    event_type: 'application_password.created',
    activity: 'of the name alone',
    by: owner,
    team_id: owner.teamId,
    fqdn: 'name-1.example.com',
  });
  await sql`vacuum analyze events`.execute(db);

  // The vacuum of this very connection may be among them.
  const wholeReads = async (tx: Db) => {
    const { rows } = await sql<{ seq_scan: number }>`
      select seq_scan::int from pg_stat_xact_user_tables where relname = 'events'`.execute(tx);
    return rows[0]?.seq_scan;
  };
  const read = (page: number, size: number) =>
    inTransaction(db, async (tx) => {
      const before = await wholeReads(tx);
      const siteIds = await findSitesCalled(tx, 'name-1.example.com', teamIds);
      assert.deepEqual(siteIds, [siteId]);
      const sites = teamIds.map((team_id) => ({ site_id: siteId, team_id }));
      const wanted = { sites, named: { fqdn: 'name-1.example.com', teamIds } };
      const listing = await listEventsOfSites(tx, owner.userId, wanted, { page, size });
      assert.equal(await wholeReads(tx), before);
      return listing;
    });
  const seen: string[] = [];
  const pages = Math.ceil(4001 / 400);
  for (let page = 1; page <= pages; page++) {
    const { count, rows } = await read(page, 400);
    assert.equal(count, 4001);
    seen.push(...rows.map(({ id }) => id));
  }
  assert.equal(new Set(seen).size, 4001);
  assert.equal(seen.length, 4001);
  assert.deepEqual((await read(pages + 1, 400)).rows, []);
});
