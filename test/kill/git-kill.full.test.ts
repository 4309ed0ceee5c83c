import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { Remote } from '#testkit/git/remote.ts';
import { Random, SEED } from '#testkit/random.ts';
import { MortalPlatform } from './mortal-platform.ts';

/**
 * Kills the platform and all its processes while a site is synced with its repository, at another step each time.
 *
 *   KILLS=50 npm test -- test/kill/git-kill
 */
const KILLS = Number(process.env.KILLS ?? 2);
const FILES = 150;
/** The step at which it is killed; every other version breaks the site, and is taken back. */
const STEPS = ['journal', 'undoing', 'checking', 'journal', 'applying', 'fetching'] as const;
type Step = (typeof STEPS)[number];

let platform: MortalPlatform;
let folder: string;
let person: Person;
let site: Site;
let git: Remote;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'siteyard-git-kill-'));
  platform = await MortalPlatform.create();
  platform.env.GIT_FILE_ROOTS = folder;
  await platform.start();
  person = await registerPerson({ url: platform.url } as TestApp, 'Owner', { verified: false });
  await platform.rows('update users set is_verified = true');
  git = await Remote.create(join(folder, 'site.git'), versionOf(0, false));
  site = await newSite(person);
  const { params, body } = { params: { fqdn: site.fqdn }, body: { git_url: git.url } };
  await person.api.updateSite({ params, body, wait: 60 });
});
after(async () => {
  await platform?.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const versionOf = (version: number, isBroken: boolean): Record<string, string> => ({
  ...Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [`plugins/p${at % 7}/f${at}-${version % 2}.php`, String(version)]),
  ),
  'plugins/p/version.php': String(version),
  'mu-plugins/must.php': isBroken ? '[{"fail":true}]' : '[]',
});

const readHash = async () =>
  (await platform.rows('select git_last_sync_hash from sites where id = $1', [site.id]))[0]?.git_last_sync_hash;
const siteFolder = () => join(platform.dataDir, 'sites', site.id);

/** The version that every file is of; fails where they are of two. */
function versionOnDisk(): number {
  const content = join(siteFolder(), 'content');
  const version = readFileSync(join(content, 'plugins/p/version.php'), 'utf8');
  const names = readdirSync(join(content, 'plugins'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^f\d+-\d\.php$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  assert.equal(names.length, FILES);
  for (const name of names) assert.equal(readFileSync(name, 'utf8'), version, name);
  return Number(version);
}

async function reached(step: Step): Promise<boolean> {
  if (step === 'journal') return existsSync(join(siteFolder(), 'restoring', 'journal.json'));
  if (step === 'fetching')
    return (await platform.rows('select from site_holds where site_id = $1', [site.id])).length > 0;
  const rows = await platform.rows("select from git_links where site_id = $1 and running->>'phase' = $2", [
    site.id,
    step,
  ]);
  return rows.length > 0;
}

test(`after ${KILLS} kills in the middle of a sync the site is wholly of one commit, and the one that it says`, {
  timeout: 120_000 + KILLS * 30_000,
}, async (t) => {
  const random = new Random(SEED);
  t.diagnostic(`SEED=${SEED}`);
  const hashes = new Map([[0, git.head]]);
  let good = 0;
  const hit: Record<string, number> = {};
  for (let kill = 1; kill <= KILLS; kill++) {
    const step = STEPS[(kill - 1) % STEPS.length] as Step;
    const isBroken = step === 'undoing' || random.below(4) === 0;
    const old = Object.keys(versionOf(kill - 1, false)).map((path) => [path, null]);
    await git.push({ ...Object.fromEntries(old), ...versionOf(kill, isBroken) });
    hashes.set(kill, git.head);
    await person.api.syncGit({ params: { fqdn: site.fqdn } });
    const end = Date.now() + 20_000;
    while (!(await reached(step)) && Date.now() < end) await sleep(1);
    if (Date.now() < end) hit[step] = (hit[step] ?? 0) + 1;
    await sleep(random.below(10));
    await platform.kill('platform and all its processes');
    await platform.start();
    const isIdle = async () =>
      (await platform.rows('select from site_holds where site_id = $1', [site.id])).length === 0;
    await eventually(isIdle, 60_000);
    if (!isBroken) good = kill;
    assert.equal(versionOnDisk(), good, `kill ${kill} while ${step}`);
    assert.equal(await readHash(), hashes.get(good), `kill ${kill} while ${step}`);
    assert.equal(existsSync(join(siteFolder(), 'restoring')), false);
  }
  t.diagnostic(JSON.stringify({ hit }));
  const unfinished = await platform.rows("select from events where event_type = 'git.synced' and finished_at is null");
  assert.equal(unfinished.length, 0);
});
