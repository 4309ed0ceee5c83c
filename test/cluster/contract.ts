import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from '#testkit/expect.ts';
import { DRIVER, SITES } from './fleet.ts';
import { apply, kubectl, podNow } from './kube.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const NAME = 'contract';
const SUITE = `src/runtimes/${DRIVER}/${DRIVER}-runtime.full.test.ts`;
const PROCESSES = `src/runtimes/${DRIVER}/${DRIVER}-processes.full.test.ts`;
const LIMIT_MS = 15 * 60_000;

interface PodSpec {
  containers: { volumeMounts: object[]; [field: string]: unknown }[];
  volumes: { name: string; [field: string]: unknown }[];
  [field: string]: unknown;
}

/**
 * The suites that every driver passes, in a pod that is in all as that of a site: user, rights, system calls, memory, root. The checkout is laid into it, since an
 * image has no tests.
 */
export async function passContract(siteId: string): Promise<string> {
  const home = JSON.parse(await kubectl('get', 'statefulset', `site-${siteId}`, '-n', SITES, '-o', 'json'));
  const spec = home.spec.template.spec as PodSpec;
  const [site] = spec.containers;
  assert.ok(site);
  const cache = join(CHECKOUT, 'node_modules/.cache');
  const script = `cp -r /opt/siteyard-cache "$1" && shift && exec node_modules/.bin/node testkit/runner/main.ts --workers 1 "$@"`;
  const { startupProbe: _startup, readinessProbe: _ready, livenessProbe: _alive, ports: _ports, ...container } = site;
  await apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: NAME, namespace: SITES },
      spec: {
        ...spec,
        restartPolicy: 'Never',
        containers: [
          {
            ...container,
            command: ['sh', '-c', script, 'sh', join(cache, 'siteyard'), SUITE, PROCESSES],
            workingDir: CHECKOUT,
            // These suites ask no database, and Postgres runs as nobody without a name.
            env: [
              { name: 'TEST_DATABASE_URL', value: 'postgres://nobody@127.0.0.1:1/none' },
              { name: 'TMPDIR', value: '/tmp' },
            ],
            envFrom: [],
            volumeMounts: [
              { name: 'tmp', mountPath: '/tmp' },
              { name: 'checkout', mountPath: CHECKOUT, readOnly: true },
              { name: 'cache', mountPath: cache },
            ],
          },
        ],
        volumes: [
          ...spec.volumes.filter(({ name }) => name === 'tmp'),
          { name: 'checkout', hostPath: { path: CHECKOUT } },
          { name: 'cache', emptyDir: {} },
        ],
      },
    },
  ]);
  try {
    const phase = await eventually(async () => {
      const now = (await podNow(SITES, NAME))?.status.phase;
      return now === 'Succeeded' || now === 'Failed' ? now : undefined;
    }, LIMIT_MS);
    const said = await kubectl('logs', '-n', SITES, NAME);
    assert.equal(phase, 'Succeeded', said.slice(-8_000));
    const [, passed = 0, failed, skipped] =
      /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(said)?.map(Number) ?? [];
    assert.ok(passed > 20 && failed === 0, said.slice(-2_000));
    return `${passed} tests of the contract of ${DRIVER} pass in a pod as sites have it, ${skipped} were skipped`;
  } finally {
    await kubectl('delete', 'pod', NAME, '-n', SITES, '--grace-period=0', '--force').catch(() => {});
  }
}
