import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '#core/log.ts';
import { SHARES } from '#features/plan/plan.ts';
import { Kubernetes } from '#integrations/kubernetes/kubernetes.ts';
import { RUN } from './cluster.ts';
import { DRIVER, HOME, SITES } from './fleet.ts';
import { askApi, isReady, kubectl, pods } from './kube.ts';
import type { Surroundings } from './surroundings.ts';

const SITES_MADE = Number(process.env.CONTROL_PLANE_SITES ?? 1_000);
const WATCHED_MS = 2 * 60_000;
const AT_ONCE = 8;

/** What 1,000 sites that sleep cost the control plane: objects without pods, and the platform that looks after them. */
export async function costOfControlPlane(surroundings: Surroundings): Promise<string> {
  const before = await watchFor(WATCHED_MS / 2);
  const [memoryBefore, workerBefore] = [memoryOf('api'), await memoryOfWorkers()];
  const ids = await insertRows(surroundings);
  // As the workers would make them: what differs they would apply again.
  const set = await environmentOfWorkers();
  const cluster = new Kubernetes({
    access: { kubeconfig: join(RUN, 'admin.kubeconfig') },
    log: createLog('silent'),
    cluster: 'kube',
    namespace: SITES,
    image: set('KUBE_SITE_IMAGE'),
    pullPolicy: set('KUBE_PULL_POLICY'),
    secret: set('KUBE_SITE_SECRET'),
    platformDoor: set('KUBE_PLATFORM_DOOR'),
    // Nothing runs with them.
    credentials: () => ({ key: 'none', certificate: 'none', authority: 'none' }),
    storageClass: set('KUBE_STORAGE_CLASS'),
    seccomp: set('KUBE_SECCOMP'),
    havePriorities: set('KUBE_PRIORITY_CLASSES') === 'on',
    cacheDir: set('KUBE_CACHE_DIR'),
    driver: DRIVER,
  });
  const begunMs = performance.now();
  const left = [...ids];
  const make = async () => {
    for (let siteId = left.pop(); siteId !== undefined; siteId = left.pop())
      await cluster.apply({ siteId, plan: 'business', processors: SHARES.business.processors });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  const madeMs = performance.now() - begunMs;
  // What follows from making them is over then.
  await sleep(30_000);
  const versions = await versionsOf(ids);
  const after = await watchFor(WATCHED_MS);
  assert.deepEqual(await versionsOf(ids), versions, 'sites that sleep were applied again');
  const calls = (watched: Watched) => Math.round(watched.calls);
  return (
    `${SITES_MADE} made in ${(madeMs / 1000).toFixed(0)} s; calls of the API server a minute ${calls(before)} -> ${calls(after)} ` +
    `(of StatefulSets, pods and claims ${Math.round(before.ours)} -> ${Math.round(after.ours)}); memory of the API server ${memoryBefore} -> ${memoryOf('api')} MB, ` +
    `of etcd ${memoryOf('etcd')} MB, of a worker ${workerBefore} -> ${await memoryOfWorkers()} MB; ${after.watches} watches of ours`
  );
}

async function environmentOfWorkers(): Promise<(name: string) => string> {
  const path = '{.spec.template.spec.containers[0].env}';
  const text = await kubectl('get', 'deployment', 'siteyard-worker', '-n', HOME, '-o', `jsonpath=${path}`);
  const variables = JSON.parse(text) as { name: string; value?: string }[];
  return (name) => {
    const value = variables.find((each) => each.name === name)?.value;
    assert.ok(value !== undefined, `workers have no ${name}`);
    return value;
  };
}

/** Whoever applies one again gives it another version. */
async function versionsOf(ids: readonly string[]): Promise<Map<string, string>> {
  const path = '{range .items[*]}{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';
  const text = await kubectl('get', 'statefulsets', '-n', SITES, '-o', `jsonpath=${path}`);
  const all = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  return new Map(ids.map((id) => [id, all.get(`site-${id}`) ?? 'none']));
}

/** Rows alone, so that nobody takes the objects for those of sites that are gone. */
async function insertRows({ query }: Surroundings): Promise<string[]> {
  const ids = Array.from({ length: SITES_MADE }, () => randomUUID());
  await query(
    `insert into sites (id, host, driver, team_id, user_id, fqdn, region_id, domain_option, is_testing, is_sleeping,
       http_auth_password_sealed, code_server_password_sealed, core_version, php_version, is_free)
     select made.id, 'kube.' || made.id, o.driver, o.team_id, o.user_id, made.id || '.sites.test', o.region_id, 'platform', true, true,
       o.http_auth_password_sealed, o.code_server_password_sealed, o.core_version, o.php_version, true
     from unnest('{${ids.join(',')}}'::uuid[]) made (id), (select * from sites order by created_at limit 1) o`,
  );
  return ids;
}

interface Watched {
  calls: number;
  ours: number;
  watches: number;
}

/** Calls a minute. */
async function watchFor(ms: number): Promise<Watched> {
  const before = await counted();
  await sleep(ms);
  const after = await counted();
  const a = 60_000 / ms;
  return { calls: (after.calls - before.calls) * a, ours: (after.ours - before.ours) * a, watches: after.watches };
}

async function counted(): Promise<Watched> {
  const metrics = await askApi('/metrics');
  const sum = (wanted: RegExp) =>
    metrics
      .split('\n')
      .filter((line) => wanted.test(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    calls: sum(/^apiserver_request_total\{/),
    ours: sum(/^apiserver_request_total\{.*resource="(statefulsets|persistentvolumeclaims|pods)"/),
    watches: sum(/^apiserver_registered_watchers\{.*kind="(StatefulSet|Pod|PersistentVolumeClaim)"/),
  };
}

function memoryOf(program: 'api' | 'etcd'): number {
  const pid = readFileSync(join(RUN, 'pid', program), 'utf8').trim();
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Asked inside of the pod: no policy lets anybody but Prometheus look at its metrics. */
async function memoryOfWorkers(): Promise<number> {
  const [worker] = (await pods(HOME, 'app.kubernetes.io/component=worker')).filter(isReady);
  const look = ['sh', '-c', 'grep -h VmRSS /proc/[0-9]*/status'];
  const found = await kubectl('exec', '-n', HOME, worker?.metadata.name ?? '', '--', ...look);
  return Math.round(Math.max(...[...found.matchAll(/(\d+) kB/g)].map(([, kilobytes]) => Number(kilobytes))) / 1024);
}
