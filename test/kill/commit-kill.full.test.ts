import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';
import { Remote } from '#testkit/git/remote.ts';
import { git as runGit } from '#testkit/git/repository.ts';
import { Random, SEED } from '#testkit/random.ts';
import { MortalPlatform } from './mortal-platform.ts';

/**
 * Kills the platform and all its processes while changes of a site are committed to its repository, at another step each time.
 *
 *   KILLS=50 npm test -- test/kill/commit-kill
 */
const KILLS = Number(process.env.KILLS ?? 2);
const TOKEN = 'a-git-token-of-tests';
/** When it is killed: what was made is written down, or the branch has it already and the platform does not know. */
const STEPS = ['pushing', 'pushed', 'begun'] as const;
type Step = (typeof STEPS)[number];

let platform: MortalPlatform;
let folder: string;
let host: ProviderHost;
let person: Person;
let site: Site;
let git: Remote;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'siteyard-commit-kill-'));
  mkdirSync(join(folder, 'ada'));
  host = await startProviderHost(TOKEN, [{ name: 'ada/site', branches: ['main'] }], folder);
  platform = await MortalPlatform.create();
  const certificate = join(folder, 'certificate.pem');
  writeFileSync(certificate, host.certificate);
  Object.assign(platform.env, { OUTBOUND_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: certificate });
  await platform.start();
  person = await registerPerson({ url: platform.url } as TestApp, 'Owner', { verified: false });
  await platform.rows('update users set is_verified = true');
  git = await Remote.create(join(folder, 'ada/site.git'), { 'wp-content/plugins/a/version.php': '0' });
  await person.api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
  site = await newSite(person);
  const body = { git_url: `${host.url}/ada/site.git` };
  await person.api.updateSite({ params: { fqdn: site.fqdn }, body, wait: 60 });
});
after(async () => {
  await platform?.destroy();
  await host?.close();
  rmSync(folder, { recursive: true, force: true });
});

const tip = () => runGit(git.path, 'rev-parse', 'refs/heads/main');
const isHeld = async () => (await platform.rows('select from site_holds where site_id = $1', [site.id])).length > 0;

async function reached(step: Step, before: string): Promise<boolean> {
  if (step === 'begun') return isHeld();
  if (step === 'pushed') return (await tip()) !== before;
  const text = "select from git_links where site_id = $1 and running->>'phase' = 'pushing'";
  return (await platform.rows(text, [site.id])).length > 0;
}

test(`after ${KILLS} kills in the middle of a commit the branch has it once, and the site knows which it is`, {
  timeout: 120_000 + KILLS * 30_000,
}, async (t) => {
  const random = new Random(SEED);
  t.diagnostic(`SEED=${SEED}`);
  const hit: Record<string, number> = {};
  for (let kill = 1; kill <= KILLS; kill++) {
    const step = STEPS[(kill - 1) % STEPS.length] as Step;
    const before = await tip();
    writeFileSync(join(platform.dataDir, 'sites', site.id, 'content/plugins/a/version.php'), String(kill));
    const body = { branch: 'main', message: `Version ${kill}` };
    await person.api.commitGitChanges({ params: { fqdn: site.fqdn }, body });
    const end = Date.now() + 20_000;
    while (!(await reached(step, before)) && Date.now() < end) await sleep(1);
    if (Date.now() < end) hit[step] = (hit[step] ?? 0) + 1;
    await sleep(random.below(10));
    await platform.kill('platform and all its processes');
    await platform.start();
    await eventually(async () => !(await isHeld()), 60_000);
    const says = `kill ${kill} when ${step}`;
    assert.equal(await runGit(git.path, 'rev-parse', 'refs/heads/main^'), before, says);
    assert.equal(await runGit(git.path, 'show', 'refs/heads/main:wp-content/plugins/a/version.php'), String(kill));
    const [row] = await platform.rows('select git_last_sync_hash from sites where id = $1', [site.id]);
    assert.equal(row?.git_last_sync_hash, await tip(), says);
  }
  t.diagnostic(JSON.stringify({ hit }));
  assert.ok(Object.keys(hit).length > 0, 'no kill came at its moment');
  const unfinished = await platform.rows('select event_type from events where finished_at is null');
  assert.deepEqual(unfinished, []);
});
