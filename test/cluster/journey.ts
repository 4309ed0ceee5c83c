import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#testkit/expect.ts';
import { renderChart } from '../../scripts/chart/chart.ts';
import { ALL, HOST_PORTS, RELEASE } from '../deploy/chart-values.ts';
import { passContract } from './contract.ts';
import { costOfControlPlane } from './control-plane.ts';
import { Fleet, HOME, SITES } from './fleet.ts';
import { cluster, isReady, kubectl, type Pod, podNow, pods, renderByGo } from './kube.ts';
import { Visitors, Writer } from './people.ts';
import { NOTE, openSurroundings } from './surroundings.ts';

/** Everything that happens to a fleet, in this order, each with its figure. Runs inside of the network of the test cluster. */
const figures: string[] = [];
const failures: string[] = [];
const only = process.env.ONLY?.split(',');
const MINUTE_MS = 60_000;

async function step(name: string, work: () => Promise<string>): Promise<void> {
  if (only && name !== 'install' && !only.includes(name)) return;
  const begunMs = performance.now();
  try {
    const figure = await work();
    figures.push(`${name}: ${figure}`);
    console.log(`ok   ${name} (${seconds(performance.now() - begunMs)}): ${figure}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL ${name} (${seconds(performance.now() - begunMs)}): ${(error as Error).stack}`);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const uncached = () => `/?s=${Math.random().toString(36).slice(2)}`;

await eventually(async () => existsSync(NOTE));
const surroundings = openSurroundings();
const fleet = new Fleet(surroundings);
try {
  await journey();
} finally {
  await surroundings.close();
}
console.log(`\n${figures.join('\n')}`);
if (failures.length > 0) console.error(`\nnot as it should be: ${failures.join(', ')}`);
process.exit(failures.length === 0 ? 0 : 1);

async function journey(): Promise<void> {
  await step('chart', async () => {
    const sets = [{}, ALL, HOST_PORTS];
    for (const values of sets) assert.deepEqual(await renderByGo(values), renderChart(RELEASE, values));
    return `Go's own templates make the same ${renderChart(RELEASE).length} objects of it as scripts/chart does, with ${sets.length} sets of values`;
  });

  await step('install', async () => {
    const begunMs = performance.now();
    await fleet.install('1');
    await fleet.isRolledOut(300);
    await eventually(
      () =>
        fleet.signIn().then(
          () => true,
          () => false,
        ),
      MINUTE_MS,
    );
    return `the chart's pods are ready after ${seconds(performance.now() - begunMs)}`;
  });
  if (failures.length > 0) return;
  const fqdn = await fleet.createSite();
  const siteId = await fleet.idOf(fqdn);

  await step('create', async () => {
    const took: number[] = [];
    for (let n = 0; n < 3; n++) {
      const begunMs = performance.now();
      const made = await fleet.createSite();
      took.push(performance.now() - begunMs);
      assert.equal((await fleet.visit(made)).status, 200);
      await fleet.api.deleteSite({ params: { fqdn: made }, wait: 60 });
    }
    return `${seconds(median(took))} from the request to the finished site, volume and pod included`;
  });

  await step('visit', async () => {
    const page = await fleet.visit(fqdn, uncached());
    assert.equal(page.status, 200, page.text.slice(0, 200));
    assert.match(page.text, /A blog of the tests/);
    const again: number[] = [];
    for (let n = 0; n < 10; n++) {
      const { status, ms } = await fleet.visit(fqdn, uncached());
      assert.equal(status, 200);
      again.push(ms);
    }
    const cached = await fleet.visit(fqdn);
    return `a page of WordPress that no cache has takes ${Math.round(median(again))} ms, the edge's own ${Math.round(cached.ms)} ms`;
  });

  await step('ten visits at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => fleet.visit(fqdn, uncached())));
    for (const { status, text } of answers) assert.equal(status, 200, text.slice(0, 200));
    const took = answers.map(({ ms }) => ms);
    return `all were answered, the median after ${seconds(median(took))}, the last after ${seconds(Math.max(...took))}`;
  });

  await step('isolation', async () => {
    const [pod] = await sitePods(siteId);
    assert.ok(pod);
    const isAllowed = async (who: string, ...what: string[]) =>
      (
        await kubectl(
          'auth',
          'can-i',
          ...what,
          '-n',
          SITES,
          `--as=system:serviceaccount:${HOME}:siteyard-${who}`,
        ).catch((error) => error.stdout)
      ).trim();
    assert.equal(await isAllowed('edge', 'patch', 'statefulsets', '--subresource=scale'), 'yes');
    for (const [verb, what] of [
      ['create', 'statefulsets'],
      ['delete', 'pods'],
      ['get', 'secrets'],
      ['create', 'pods/exec'],
    ] as const)
      assert.equal(await isAllowed('edge', verb, what), 'no', `${verb} ${what}`);
    for (const what of ['secrets', 'configmaps', 'services'])
      assert.equal(await isAllowed('worker', 'get', what), 'no', what);
    const spec = JSON.parse(await kubectl('get', 'pod', pod.metadata.name, '-n', SITES, '-o', 'json')).spec;
    assert.equal(spec.automountServiceAccountToken, false);
    assert.equal(spec.securityContext.runAsNonRoot, true);
    const inPod = (script: string) => kubectl('exec', '-n', SITES, pod.metadata.name, '--', 'sh', '-c', script);
    // All that whoever breaks out of PHP finds: of the platform's, a certificate that speaks for this one host.
    const told = await inPod('tr "\\0" "\\n" < /proc/1/environ');
    assert.doesNotMatch(told, /^(?:DATABASE_URL|SECRET_KEY|AWS_SECRET_ACCESS_KEY|AWS_ACCESS_KEY_ID)=./m);
    assert.ok(!told.includes('a key of the test cluster') && !told.includes('the-secret-key'));
    assert.match(told, /^POD_CERTIFICATE=-----BEGIN CERTIFICATE/m);
    const who = await inPod('id -u; touch /etc/x 2>&1; grep CapEff /proc/1/status; grep Seccomp: /proc/1/status');
    assert.match(who, /^10001\n.*Read-only file system\nCapEff:\s+0+\nSeccomp:\s+2/);
    const [edge] = (await pods(HOME, 'app.kubernetes.io/component=edge')).filter(isReady);
    const [worker] = (await pods(HOME, 'app.kubernetes.io/component=worker')).filter(isReady);
    const [keeper] = (await pods(HOME, 'app.kubernetes.io/component=keeper')).filter(isReady);
    const reached = async (from: Pod, host: string | undefined, port: number) => {
      const dial = `const s = require('net').connect(${port}, '${host}'); s.on('connect', () => process.exit(0)).on('error', () => process.exit(1)); setTimeout(() => process.exit(2), 3000)`;
      const { namespace, name } = from.metadata;
      const program = ['/opt/siteyard/node_modules/.bin/node', '-e', dial];
      return kubectl('exec', '-n', namespace, name, '--', ...program).then(
        () => true,
        () => false,
      );
    };
    const other = await fleet.createSite();
    const [neighbour] = await sitePods(await fleet.idOf(other));
    const may = {
      'the bucket': ['10.99.0.1', 9000],
      "the workers' door": [worker?.status.podIP, 7444],
    } as const;
    const mayNot = {
      'the API server': ['10.99.0.1', 6443],
      'the kubelet of its node': [pod.spec.nodeName === 'node1' ? '10.99.0.11' : '10.99.0.12', 10250],
      'an edge': [edge?.status.podIP, 8080],
      'the database': ['10.99.0.1', 5432],
      'the keeper': [keeper?.status.podIP, 7443],
      'another site': [neighbour?.status.podIP, 7443],
    } as const;
    for (const [name, [host, port]] of Object.entries(may)) assert.ok(await reached(pod, host, port), name);
    for (const [name, [host, port]] of Object.entries(mayNot)) assert.ok(!(await reached(pod, host, port)), name);
    assert.ok(await reached(edge as Pod, pod.status.podIP, 7443), 'an edge reaches a site');
    await fleet.api.deleteSite({ params: { fqdn: other }, wait: 60 });
    return 'user 10001, no capability, seccomp, a root that can not be written, no token; a site has no key of the platform, of its database or of the bucket; it reaches the bucket and the workers, and neither the database, the keeper, the API server, kubelets, edges nor other sites; an edge can wake and no more';
  });

  await step('shell', async () => {
    const { stdout } = (await fleet.api.runSiteCommand({ params: { fqdn }, body: { cmd: 'echo hello $((6*7))' } })) as {
      stdout: string;
    };
    assert.match(stdout, /hello 42/);
    return `a command answers: ${stdout.trim()}`;
  });

  await step('sleep', async () => {
    const begunMs = performance.now();
    await fleet.api.sleepSite({ params: { fqdn }, wait: 60 });
    await eventually(async () => (await sitePods(siteId)).length === 0);
    return `no pod is left after ${seconds(performance.now() - begunMs)}`;
  });

  await step('wake', async () => {
    const total: number[] = [];
    const fromReady: number[] = [];
    for (let n = 0; n < 5; n++) {
      await asleep(fqdn, siteId);
      const visit = fleet.visit(fqdn, uncached());
      const ready = eventually(async () => {
        const pod = await podNow(SITES, `site-${siteId}-0`);
        return pod && isReady(pod) ? performance.now() : undefined;
      });
      const page = await visit;
      const answeredMs = performance.now();
      assert.equal(page.status, 200, page.text.slice(0, 200));
      total.push(page.ms);
      fromReady.push(answeredMs - (await ready));
    }
    // Nobody waits for the cluster to call it ready: it announces itself.
    const after = median(fromReady);
    const relation = after < 0 ? 'before the cluster called the pod ready' : 'after the pod was ready';
    return `${seconds(median(total))} from the visit to its answer, which was ${seconds(Math.abs(after))} ${relation} (median of 5; the slowest ${seconds(Math.max(...total))})`;
  });

  await step('stage', async () => {
    const begunMs = performance.now();
    const stage = await fleet.api.createStage({
      params: { fqdn },
      body: { subdomain: `stage-${Date.now()}` },
      wait: 60,
    });
    const took = performance.now() - begunMs;
    const page = await fleet.visit((stage as unknown as { fqdn: string }).fqdn);
    assert.ok([200, 401].includes(page.status), `${page.status} ${page.text.slice(0, 200)}`);
    await fleet.api.deleteStage({ params: { fqdn }, wait: 60 });
    return `${seconds(took)} until there is one`;
  });

  await step('restore', async () => {
    const put = (text: string) =>
      fleet.api.uploadSiteFile({
        params: { fqdn },
        query: { path: 'uploads/note.txt', replace: true },
        body: new Blob([text]),
      });
    await put('before');
    const restore_point = await backupAfter(fqdn, new Date());
    await put('after');
    const begunMs = performance.now();
    await fleet.api.createPitRestore({ params: { fqdn }, body: { restore_point }, wait: 60 });
    const page = await fleet.visit(fqdn, '/wp-content/uploads/note.txt');
    assert.equal(page.text, 'before');
    return `a site is back at a minute of before after ${seconds(performance.now() - begunMs)}`;
  });

  await step('upgrade', async () => {
    const visitors = new Visitors(fleet, [fqdn]);
    await sleep(3_000);
    await fleet.install('2');
    await fleet.isRolledOut(300);
    await sleep(3_000);
    const { looks, failed, slowestMs } = await visitors.leave();
    const images = (await pods(HOME, 'app.kubernetes.io/name=siteyard'))
      .filter(isReady)
      .map(({ spec }) => spec.containers[0]?.image);
    assert.deepEqual([...new Set(images)], ['localhost/siteyard:2']);
    assert.deepEqual(failed, []);
    await asleep(fqdn, siteId);
    assert.equal((await fleet.visit(fqdn, uncached())).status, 200);
    await eventually(async () => (await sitePods(siteId))[0]?.spec.containers[0]?.image === 'localhost/siteyard:2');
    return `${looks} visits while every pod of the platform was replaced: ${failed.length} failed, the slowest took ${seconds(slowestMs)}; a site takes the new image when it wakes`;
  });

  await step('edge loss', async () => {
    const visitors = new Visitors(fleet, [fqdn]);
    await sleep(2_000);
    const [edge] = (await pods(HOME, 'app.kubernetes.io/component=edge')).filter(isReady);
    const begunMs = performance.now();
    await kubectl('delete', 'pod', '-n', HOME, edge?.metadata.name as string, '--grace-period=0', '--force');
    await sleep(15_000);
    const { looks, failed, lastFailureMs } = await visitors.leave();
    const until = lastFailureMs === 0 ? 0 : Math.max(0, lastFailureMs - begunMs);
    assert.ok(until < 10_000, `visits failed for ${seconds(until)}: ${failed.slice(0, 3)}`);
    return `${failed.length} of ${looks} visits failed, the last ${seconds(until)} after an edge was killed`;
  });

  await step('API-server outage', async () => {
    const sleeping = await fleet.createSite();
    await asleep(sleeping, await fleet.idOf(sleeping));
    await fleet.visit(fqdn);
    const writer = new Writer(fleet, fqdn);
    const visitors = new Visitors(fleet, [fqdn]);
    await cluster('stop-api');
    const refused = await fleet.visit(sleeping, '/', 90_000);
    assert.ok(refused.status === 503, `a site that sleeps answered ${refused.status}`);
    await sleep(MINUTE_MS);
    const { looks, failed } = await visitors.leave();
    const { acknowledged } = await writer.stop();
    await cluster('start-api');
    const begunMs = performance.now();
    await eventually(async () => (await fleet.visit(sleeping, uncached()).catch(() => undefined))?.status === 200);
    const backMs = performance.now() - begunMs;
    assert.deepEqual(failed, []);
    assert.deepEqual(await writer.lost(), []);
    return `0 of ${looks} visits and 0 of ${acknowledged} writes to an awake site failed in that minute; one that slept answered 503, and ${seconds(backMs)} after the API server was back it woke`;
  });

  for (const kind of ['network', 'local'] as const)
    await step(kind === 'network' ? 'node loss with the volume' : 'node loss without the volume', () => loseNode(kind));
  if (!only || only.some((name) => name.startsWith('node loss'))) {
    // Whatever of these failed, the rest is of the fleet as it was.
    await fleet.install('2');
    await fleet.isRolledOut(300);
  }

  await step('many sites', async () => {
    const count = Number(process.env.SITES ?? 30);
    const begunMs = performance.now();
    const names: string[] = [];
    const make = async () => {
      while (names.length < count) {
        const at = names.push('') - 1;
        names[at] = await fleet.createSite();
      }
    };
    await Promise.all([make(), make()]);
    const createdMs = performance.now() - begunMs;
    // Each wants a fresh PHP, which is seconds of a processor: all at the same instant would try the two cores of this machine and nothing else.
    const left = [...names];
    const took: number[] = [];
    let askedAgain = 0;
    const look = async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const answer = await untilServed(name, () => askedAgain++);
        assert.equal(answer.status, 200, `${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
        took.push(answer.ms);
      }
    };
    await Promise.all(Array.from({ length: 4 }, look));
    const running = (await pods(SITES, 'app.kubernetes.io/name=siteyard-site')).filter(isReady);
    const byNode = Object.entries(Object.groupBy(running, ({ spec }) => spec.nodeName ?? '')).map(
      ([node, all]) => `${all?.length} on ${node}`,
    );
    return `${count} made in ${seconds(createdMs)}, visited by four at a time: the median answer took ${seconds(median(took))}, ${askedAgain} were asked to come again; ${byNode.sort().join(', ')}`;
  });

  await step('runtime contract', () => passContract(siteId));

  await step('control plane', () => costOfControlPlane(surroundings));
}

/** Everything on a node ends at one instant. What was acknowledged a minute before is there afterwards. */
async function loseNode(kind: 'network' | 'local'): Promise<string> {
  await fleet.install('2', { storageClass: kind });
  await fleet.isRolledOut(300);
  const fqdn = await fleet.createSite();
  const siteId = await fleet.idOf(fqdn);
  const ofClaim = ['-n', SITES, `site-${siteId}`, '-o', 'jsonpath={.spec.storageClassName}'];
  assert.equal(await kubectl('get', 'pvc', ...ofClaim), kind);
  const writer = new Writer(fleet, fqdn);
  await sleep(MINUTE_MS * 1.25);
  const [pod] = await sitePods(siteId);
  const node = pod?.spec.nodeName?.replace('node', '') as string;
  await backupAfter(fqdn, new Date(Date.now() - MINUTE_MS));
  await cluster('lose-node', node);
  const lostAt = Date.now();
  try {
    await writer.stop();
    await eventually(
      async () => (await fleet.visit(fqdn, uncached(), 60_000).catch(() => undefined))?.status === 200,
      5 * MINUTE_MS,
    );
    const backMs = Date.now() - lostAt;
    const lost = await writer.lost();
    const beyond = lost.filter(({ at }) => at < lostAt - MINUTE_MS);
    assert.deepEqual(beyond, []);
    if (kind === 'network') assert.deepEqual(lost, []);
    const oldest = Math.max(0, ...lost.map(({ at }) => lostAt - at));
    return `served again ${seconds(backMs)} after the node was lost; ${lost.length} of ${writer.count} acknowledged writes lost, the oldest ${seconds(oldest)} before`;
  } finally {
    await cluster('return-node', node);
    await eventually(async () =>
      /True/.test(
        await kubectl('get', 'node', `node${node}`, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'),
      ),
    );
    await fleet.isRolledOut(300);
  }
}

/** A visitor as patient as browsers are, who comes again where a site says that it is away for a moment. */
async function untilServed(fqdn: string, askedAgain: () => void): Promise<Awaited<ReturnType<typeof fleet.visit>>> {
  for (const end = Date.now() + 10 * MINUTE_MS; ; ) {
    const answer = await fleet.visit(fqdn, uncached(), 5 * MINUTE_MS);
    const again = answer.status === 503 ? Number(answer.headers['retry-after']) : Number.NaN;
    if (Number.isNaN(again) || Date.now() > end) return answer;
    askedAgain();
    await sleep(again * 1000);
  }
}

function sitePods(siteId: string): Promise<Pod[]> {
  return pods(SITES, `siteyard/site=${siteId}`);
}

async function asleep(fqdn: string, siteId: string): Promise<void> {
  await fleet.api.sleepSite({ params: { fqdn }, wait: 60 });
  await eventually(async () => (await sitePods(siteId)).length === 0);
}

/** The first backup that was begun after that. */
function backupAfter(fqdn: string, after: Date): Promise<string> {
  return eventually(async () => {
    const newest = (await fleet.api.getBackups({ params: { fqdn } }).catch(() => undefined)) as
      | { created_at: string }
      | undefined;
    return newest && new Date(newest.created_at) > after ? newest.created_at : undefined;
  }, 3 * MINUTE_MS);
}
