import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '#core/log.ts';
import { Kubernetes } from '#integrations/kubernetes/kubernetes.ts';
import { RUN } from './cluster.ts';
import { CACHE, HOME, SITES } from './fleet.ts';
import { askApi, isReady, kubectl, pods } from './kube.ts';
import type { Surroundings } from './surroundings.ts';

const SITES_MADE = Number(process.env.CONTROL_PLANE_SITES ?? 1_000);
const WATCHED_MS = 2 * 60_000;
const AT_ONCE = 8;

/** What 1,000 sites that sleep cost the control plane: objects without pods, and the platform that looks after them. */
export async function costOfControlPlane(surroundings: Surroundings, secret: string): Promise<string> {
  const before = await watchFor(WATCHED_MS / 2);
  const [memoryBefore, workerBefore] = [memoryOf('api'), await memoryOfWorkers()];
  const ids = await insertRows(surroundings);
  const cluster = new Kubernetes({
    access: { kubeconfig: join(RUN, 'admin.kubeconfig') },
    log: createLog('silent'),
    cluster: 'kube',
    namespace: SITES,
    image: 'localhost/siteyard:2',
    pullPolicy: 'Never',
    secret,
    platformDoor: `siteyard-worker.${HOME}.svc:7444`,
    // Nothing runs with them.
    credentials: () => ({ key: 'none', certificate: 'none', authority: 'none' }),
    storageClass: 'network',
    seccomp: 'RuntimeDefault',
    havePriorities: true,
    cacheDir: CACHE,
    driver: 'php-wasm',
  });
  const begunMs = performance.now();
  const left = [...ids];
  // As the plan of the team has it: whatever differs would be applied again.
  const make = async () => {
    for (let siteId = left.pop(); siteId !== undefined; siteId = left.pop())
      await cluster.apply({ siteId, plan: 'business', processors: 8 });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  const madeMs = performance.now() - begunMs;
  // What follows from making them is over then.
  await sleep(30_000);
  const after = await watchFor(WATCHED_MS);
  const calls = (watched: Watched) => Math.round(watched.calls);
  return (
    `${SITES_MADE} made in ${(madeMs / 1000).toFixed(0)} s; calls of the API server a minute ${calls(before)} -> ${calls(after)} ` +
    `(of StatefulSets, pods and claims ${Math.round(before.ours)} -> ${Math.round(after.ours)}); memory of the API server ${memoryBefore} -> ${memoryOf('api')} MB, ` +
    `of etcd ${memoryOf('etcd')} MB, of a worker ${workerBefore} -> ${await memoryOfWorkers()} MB; ${after.watches} watches of ours`
  );
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
