import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#testkit/expect.ts';
import { Fleet, HOME, SITES } from './fleet.ts';
import { isReady, kubectl, pods } from './kube.ts';
import { Visitors, Writer } from './people.ts';
import { NOTE, openSurroundings } from './surroundings.ts';

/**
 * The way of a fleet whose sites' pods hold the platform's keys (before docs/decisions/0071) to this one, as that decision tells operators to
 * go it: installed by the older chart with the older image, then upgraded under visitors, then without what only older pods needed.
 */
const [checkout = ''] = process.argv.slice(2);
const { renderChart } = (await import(join(checkout, 'scripts/chart/chart.ts'))) as {
  renderChart: typeof import('../../scripts/chart/chart.ts').renderChart;
};
const MINUTE_MS = 60_000;
const uncached = () => `/?s=${Math.random().toString(36).slice(2)}`;
const say = (text: string) => console.log(`ok   ${text}`);

await eventually(async () => existsSync(NOTE));
const surroundings = openSurroundings();
const fleet = new Fleet(surroundings);

const podsOf = async (fqdn: string) => pods(SITES, `siteyard/site=${await fleet.idOf(fqdn)}`);
const imageOf = async (fqdn: string) => (await podsOf(fqdn))[0]?.spec.containers[0]?.image;
const homesNow = async () => {
  const text = await kubectl('get', 'statefulsets', '-n', SITES, '-o', 'json');
  const { items } = JSON.parse(text) as {
    items: { spec: { template: { spec: { containers: { env: { name: string }[] }[] } } } }[];
  };
  return items.map(({ spec }) => spec.template.spec.containers[0]?.env.some(({ name }) => name === 'PLATFORM_DOOR'));
};
async function asleep(fqdn: string): Promise<void> {
  await fleet.api.sleepSite({ params: { fqdn }, wait: 60 });
  await eventually(async () => (await podsOf(fqdn)).length === 0, 5 * MINUTE_MS);
}
async function isServed(fqdn: string): Promise<void> {
  const page = await fleet.visit(fqdn, uncached(), 2 * MINUTE_MS);
  assert.equal(page.status, 200, `${fqdn}: ${page.status} ${page.text.slice(0, 200)}`);
}
const write = (fqdn: string, path: string, text: string) =>
  fleet.api.uploadSiteFile({ params: { fqdn }, query: { path, replace: true }, body: new Blob([text]) });

await fleet.install('older', {}, { render: renderChart, isForOlderPods: true });
await fleet.isRolledOut(300);
await eventually(
  async () =>
    fleet
      .signIn()
      .then(() => true)
      .catch(() => false),
  MINUTE_MS,
);
const awake = await fleet.createSite();
const asleepBefore = await fleet.createSite();
await write(awake, 'uploads/before.txt', 'written before');
await write(asleepBefore, 'uploads/before.txt', 'written before');
await asleep(asleepBefore);
await isServed(awake);
say('the older fleet has a site that is awake and one that sleeps');

// The upgrade, with what pods of before need as long as there are any.
const visitors = new Visitors(fleet, [awake]);
const writer = new Writer(fleet, awake);
await fleet.install('2', {}, { isForOlderPods: true });
await fleet.isRolledOut(600);
await sleep(10_000);
const { looks, failed, slowestMs } = await visitors.leave();
const { acknowledged } = await writer.stop();
const images = (await pods(HOME, 'app.kubernetes.io/name=siteyard'))
  .filter(isReady)
  .map(({ spec }) => spec.containers[0]?.image);
assert.deepEqual([...new Set(images)], ['localhost/siteyard:2']);
assert.equal(await imageOf(awake), 'localhost/siteyard:older', 'a site that is awake goes on in its older pod');
assert.deepEqual(failed, []);
assert.deepEqual(await writer.lost(), []);
say(
  `${looks} visits and ${acknowledged} writes to the older pod while the platform was replaced: none failed, the slowest visit took ${(slowestMs / 1000).toFixed(1)} s`,
);

// The newer platform and the older pod.
await write(awake, 'uploads/meanwhile.txt', 'written to the older pod');
const { stdout } = (await fleet.api.runSiteCommand({
  params: { fqdn: awake },
  body: { cmd: 'echo hello $((6*7))' },
})) as {
  stdout: string;
};
assert.match(stdout, /hello 42/);
const since = new Date();
const kept = await eventually(async () => {
  const newest = (await fleet.api.getBackups({ params: { fqdn: awake } }).catch(() => undefined)) as
    | { created_at: string }
    | undefined;
  return newest && new Date(newest.created_at) > since ? newest.created_at : undefined;
}, 3 * MINUTE_MS);
await write(awake, 'uploads/meanwhile.txt', 'written later');
await fleet.api.createPitRestore({ params: { fqdn: awake }, body: { restore_point: kept }, wait: 60 });
assert.equal((await fleet.visit(awake, '/wp-content/uploads/meanwhile.txt')).text, 'written to the older pod');
assert.equal(await imageOf(awake), 'localhost/siteyard:older');
say('the newer platform writes to an older pod, runs a command there, has it keep a backup and restore it');

// Homes that sleep are made anew by the newer workers, and wake as the newer program.
await isServed(asleepBefore);
await eventually(async () => (await imageOf(asleepBefore)) !== undefined);
const wokenAs = await imageOf(asleepBefore);
assert.equal((await fleet.visit(asleepBefore, '/wp-content/uploads/before.txt')).text, 'written before');
say(`the site that slept woke as ${wokenAs} with what it had`);

// The pods of before are ended, and come again as what the newer workers made of their homes.
await eventually(async () => (await homesNow()).every(Boolean), 5 * MINUTE_MS);
const inTheMiddle = new Visitors(fleet, [awake]);
await sleep(2_000);
await kubectl('delete', 'pods', '-n', SITES, '-l', 'app.kubernetes.io/name=siteyard-site');
await eventually(async () => (await imageOf(awake)) === 'localhost/siteyard:2', 5 * MINUTE_MS);
await isServed(awake);
const seen = await inTheMiddle.leave();
say(
  `the older pod was ended under visitors: ${seen.failed.length} of ${seen.looks} visits failed (${[...new Set(seen.failed)].slice(0, 3).join('; ')}), the slowest took ${(seen.slowestMs / 1000).toFixed(1)} s`,
);
await fleet.install('2');
await fleet.isRolledOut(600);
for (const fqdn of [awake, asleepBefore]) {
  await isServed(fqdn);
  await eventually(async () => (await imageOf(fqdn)) === 'localhost/siteyard:2');
  assert.equal((await fleet.visit(fqdn, '/wp-content/uploads/before.txt')).text, 'written before');
  const [pod] = await podsOf(fqdn);
  const told = await kubectl(
    'exec',
    '-n',
    SITES,
    pod?.metadata.name ?? '',
    '--',
    'sh',
    '-c',
    'tr "\\0" "\\n" < /proc/1/environ',
  );
  assert.doesNotMatch(told, /^(?:DATABASE_URL|SECRET_KEY|AWS_SECRET_ACCESS_KEY|AWS_ACCESS_KEY_ID)=./m);
}
say('both sites are of the newer program, with what they had, and without a key of the platform');
await surroundings.close();
