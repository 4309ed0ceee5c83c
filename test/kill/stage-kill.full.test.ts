import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { storageIn } from '#runtimes/folders/site-folder.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { Random, SEED } from '#testkit/random.ts';
import { expectedMerge, named, unnamed } from '../merge/oracle.ts';
import { EditedSite } from '../merge/two-sides.ts';
import { MortalPlatform, WAYS, type Way } from './mortal-platform.ts';

/**
 * Kills the platform, its processes or both while a staging site is made, committed and made anew. In the end each work has
 * ended, live is as before it or as after it and never between, and the other site is untouched.
 *
 *   KILLS=50 npm test -- test/kill/stage-kill
 */
const KILLS = Number(process.env.KILLS ?? 4);
const WAIT_MS = 120_000;

let platform: MortalPlatform;
let person: Person;

before(async () => {
  platform = await MortalPlatform.create();
  await platform.start();
  person = await registerPerson({ url: platform.url } as TestApp, 'Owner', { verified: false });
  await platform.rows("update teams set additional_sites = 100, plan_type_name = 'business'");
});
after(() => platform?.destroy());

test(`after ${KILLS} kills every work with a staging site has ended, and nothing is half done (seed ${SEED})`, {
  timeout: 120_000 + KILLS * 40_000,
}, async (t) => {
  const random = new Random(SEED);
  const site = await newSite(person);
  await platform.rows('update sites set next_cron_at = null');
  const live = onDisk(site.id, site.fqdn, random);
  live.begin();
  const params = { fqdn: site.fqdn };
  const outcomes: Record<string, number> = {};
  let isFirst = true;
  /** What the stage was when both sides went on. */
  let base: ReturnType<typeof stateOf> | undefined;
  for (let kill = 0; kill < KILLS; ) {
    const begin = () => person.api.createStage({ params, body: { subdomain: `s-${site.id.slice(0, 8)}` } });
    const made = await workThroughKill(
      isFirst ? 'stage.created' : 'stage.refreshed',
      random,
      WAYS[kill++ % WAYS.length] as Way,
      () => (isFirst ? begin() : person.api.refreshStage({ params })),
    );
    outcomes[`made ${made}`] = (outcomes[`made ${made}`] ?? 0) + 1;
    const [row] = await platform.rows("select id, fqdn from sites where kind = 'stage'");
    if (!row) continue;
    isFirst = false;
    await platform.rows('update sites set next_cron_at = null');
    const stage = onDisk(String(row.id), String(row.fqdn), random);
    if (made === 'done') assert.deepEqual(contentOf(stage), contentOf(live), 'the stage is what live is');
    if (made === 'done') base = stateOf(stage);
    assert.ok(base);
    live.live(15);
    stage.live(15);
    const [liveBefore, stageBefore] = [stateOf(live), stateOf(stage)];
    const expected = expectedMerge(base, stageBefore, liveBefore, 'theirs');
    const committed = await workThroughKill('stage.committed', random, WAYS[kill++ % WAYS.length] as Way, () =>
      person.api.commitStage({ params, body: {} }),
    );
    outcomes[`committed ${committed}`] = (outcomes[`committed ${committed}`] ?? 0) + 1;
    const found = stateOf(live);
    const isAsBefore = committed !== 'done' && isDeepStrictEqual(found, liveBefore);
    if (!isAsBefore) {
      assert.deepEqual(named(found.tables), expected.tables);
      assert.deepEqual(unnamed(found.tables), expected.unnamed);
      assert.deepEqual(found.files, expected.files);
    }
    assert.deepEqual(stateOf(stage), stageBefore, 'the stage is untouched');
    if (committed === 'done') base = stageBefore;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.deepEqual(await platform.rows('select from sites where busy is not null'), []);
  assert.deepEqual(await platform.rows('select event_type from events where finished_at is null'), []);
  assert.equal(await platform.stop(), 0, platform.output());
});

const stateOf = (site: EditedSite) => ({ tables: site.tables(), files: site.files() });
const contentOf = (site: EditedSite) => ({ tables: named(site.tables()), files: site.files() });

function onDisk(id: string, fqdn: string, random: Random): EditedSite {
  const { content, database } = storageIn(join(platform.dataDir, 'sites', id));
  const { port } = new URL(platform.url);
  return new EditedSite({ folder: content, database: database.file }, `http://${fqdn}:${port}`, random);
}

/** Begins a work, kills in the middle of it, and waits for its end. */
async function workThroughKill(
  type: string,
  random: Random,
  way: Way,
  begin: () => Promise<unknown>,
): Promise<'done' | 'failed' | 'never begun'> {
  const count = async () =>
    Number((await platform.rows('select count(*) from events where event_type = $1', [type]))[0]?.count);
  const known = await count();
  const begun = begin().catch(() => {});
  await sleep(random.below(1_200));
  await platform.kill(way);
  await begun;
  if (way !== 'processes of the time machine') await platform.start();
  if ((await count()) === known) return 'never begun';
  return eventually(async () => {
    // Retries are minutes apart in the end, for which nobody waits here.
    await platform.rows(
      "update jobs.job set start_after = now() + interval '1 second' where start_after > now() + interval '2 seconds' and state = 'retry'",
    );
    const [event] = await platform.rows(
      'select finished_at, detail from events where event_type = $1 order by created_at desc limit 1',
      [type],
    );
    if (!event?.finished_at) return false;
    return (event.detail as { failure?: string }).failure === undefined ? 'done' : 'failed';
  }, WAIT_MS);
}
