import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { AppsV1Api, CoreV1Api, KubeConfig, setHeaderOptions } from '@kubernetes/client-node';
import type { KnownHome } from '#core/cluster.ts';
import { createLog } from '#core/log.ts';
import { eventually } from '#testkit/expect.ts';
import { KUBE_BINARIES, KubeApi } from '#testkit/servers/kube-api.ts';
import { Kubernetes } from './kubernetes.ts';
import { CONTAINER, homeName, podName } from './site-manifests.ts';

const skip = KUBE_BINARIES ? false : 'KUBE_BINARIES names no folder with etcd and kube-apiserver';
const namespace = 'siteyard-sites';
const options = {
  cluster: 'test',
  namespace,
  image: 'siteyard:1',
  pullPolicy: 'Never',
  secret: 'siteyard-site',
  platformDoor: 'siteyard-worker.siteyard.svc:7444',
  credentials: (host: string) => ({ key: `key of ${host}`, certificate: `it is ${host}`, authority: 'ours' }),
  storageClass: 'fast',
  seccomp: 'RuntimeDefault',
  havePriorities: false,
  cacheDir: '/data/cache',
  driver: 'php-wasm',
  log: createLog('silent'),
};

suite('sites on a Kubernetes cluster', { skip }, () => {
  let api: KubeApi;
  let cluster: Kubernetes;
  let apps: AppsV1Api;
  let core: CoreV1Api;
  before(async () => {
    api = await KubeApi.start();
    const config = new KubeConfig();
    config.loadFromFile(api.kubeconfig);
    apps = config.makeApiClient(AppsV1Api);
    core = config.makeApiClient(CoreV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    cluster = new Kubernetes({ ...options, access: { kubeconfig: api.kubeconfig } });
  });
  after(() => api?.close());

  const newHome = async (plan = 'free') => {
    const home = { siteId: randomUUID(), plan, processors: 1 };
    await cluster.apply(home);
    const name = homeName(home.siteId);
    return {
      ...home,
      set: () => apps.readNamespacedStatefulSet({ name, namespace }),
      claim: () => core.readNamespacedPersistentVolumeClaim({ name, namespace }),
    };
  };
  type Home = Awaited<ReturnType<typeof newHome>>;
  const isGone = (call: Promise<unknown>) =>
    call.then(
      () => false,
      (error) => error.code === 404,
    );

  test('are asleep when they are made, with a volume that is theirs', async () => {
    const { siteId, set, claim } = await newHome();
    const made = await set();
    assert.equal(made.spec?.replicas, 0);
    assert.deepEqual(
      (await claim()).metadata?.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
      [['StatefulSet', made.metadata?.uid]],
    );
    assert.equal(await cluster.has(siteId), true);
    assert.equal(await cluster.has(randomUUID()), false);
    assert.equal(await cluster.scale(randomUUID(), 1), false);
  });

  test('may do nothing in their pods but run', async () => {
    const { set } = await newHome();
    const pod = (await set()).spec?.template.spec;
    assert.equal(pod?.automountServiceAccountToken, false);
    assert.deepEqual(JSON.parse(JSON.stringify(pod?.securityContext)), {
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    });
    const [container] = pod?.containers ?? [];
    assert.equal(container?.securityContext?.readOnlyRootFilesystem, true);
    assert.equal(container?.securityContext?.allowPrivilegeEscalation, false);
    assert.deepEqual(container?.securityContext?.capabilities?.drop, ['ALL']);
    assert.ok(container?.resources?.limits?.memory);
  });

  test('have of the platform what shows whose pod it is, and no key that opens anything else', async () => {
    const { siteId, set } = await newHome();
    const made = await set();
    const name = homeName(siteId);
    const { data = {}, metadata } = await core.readNamespacedSecret({ name, namespace });
    const told = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
    assert.deepEqual(Object.fromEntries(told), {
      POD_KEY: `key of test.${siteId}`,
      POD_CERTIFICATE: `it is test.${siteId}`,
      POD_AUTHORITY: 'ours',
    });
    assert.deepEqual(metadata?.ownerReferences?.[0]?.uid, made.metadata?.uid, 'it goes with the site');
    const [container] = made.spec?.template.spec?.containers ?? [];
    assert.deepEqual(
      container?.envFrom?.map(({ secretRef }) => secretRef?.name),
      [options.secret, name],
    );
    // What stands in `env` counts more than what comes from a Secret, whatever an operator left in there.
    for (const withheld of ['DATABASE_URL', 'SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'])
      assert.ok(
        container?.env?.some((each) => each.name === withheld && !each.value),
        withheld,
      );
  });

  test('go on or sleep on when they are brought up to date, whatever somebody else wrote there', async () => {
    const { siteId, set, claim } = await newHome();
    await cluster.scale(siteId, 1);
    const at = { name: homeName(siteId), namespace };
    const body = { spec: { template: { spec: { containers: [{ name: CONTAINER, image: 'another:1' }] } } } };
    await apps.patchNamespacedStatefulSet(
      { ...at, body, fieldManager: 'somebody' },
      setHeaderOptions('Content-Type', 'application/strategic-merge-patch+json'),
    );
    await cluster.apply({ siteId, plan: 'business', processors: 8 });
    const now = await set();
    assert.equal(now.spec?.replicas, 1);
    assert.equal(now.spec?.template.spec?.containers[0]?.image, options.image);
    assert.equal(now.metadata?.labels?.['siteyard/plan'], 'business');
    assert.equal(now.spec?.template.spec?.containers[0]?.resources?.limits?.cpu, '8');
    // A volume that is bound grows; one that nobody has yet can not, and stays.
    assert.ok((await claim()).spec?.resources?.requests?.storage);
    await cluster.scale(siteId, 0);
    await cluster.apply({ siteId, plan: 'free', processors: 1 });
    assert.equal((await set()).spec?.replicas, 0);
  });

  test('are told of, one after another, and all of them again when the API server was away', async (t) => {
    const { siteId } = await newHome();
    const lists: (readonly KnownHome[])[] = [];
    const changes: KnownHome[] = [];
    const ending = new AbortController();
    t.after(() => ending.abort());
    const listener = {
      listed: (homes: readonly KnownHome[]) => lists.push(homes),
      changed: (home: KnownHome) => changes.push(home),
    };
    const watching = cluster.watch(listener, ending.signal);
    await eventually(async () => lists.length === 1);
    const found = lists[0]?.find((each) => each.siteId === siteId);
    assert.equal(found?.isAwake, false);
    assert.ok(found?.isLike({ siteId, plan: 'free', processors: 1 }));
    assert.ok(!found?.isLike({ siteId, plan: 'micro', processors: 2 }));
    await cluster.scale(siteId, 1);
    await eventually(async () => changes.some((each) => each.siteId === siteId && each.isAwake));
    await api.down();
    changes.length = 0;
    await assert.rejects(cluster.scale(siteId, 0));
    await api.up();
    await cluster.scale(siteId, 0);
    // Whether it slept before the second list or after it, that is known in the end.
    const last = () => [...(lists.at(-1) ?? []), ...changes].findLast((each) => each.siteId === siteId);
    await eventually(async () => lists.length > 1 && last()?.isAwake === false, 60_000);
    ending.abort();
    await watching;
  });

  test('say why their pod does not run', async () => {
    const { siteId } = await newHome();
    assert.equal(await cluster.trouble(siteId), undefined);
    await putPod(siteId, {
      containerStatuses: [
        {
          name: CONTAINER,
          image: options.image,
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } },
        },
      ],
    });
    assert.deepEqual(await cluster.trouble(siteId), { reason: 'ErrImagePull no such image', isFinal: true });
  });

  test('are free for another machine when theirs is lost, without the volume where that is lost with it', async () => {
    const minutesAgo = new Date(Date.now() - 300_000);
    const ready = (status: string) => ({ type: 'Ready', status, lastTransitionTime: minutesAgo });
    for (const [name, status] of [
      ['up', 'True'],
      ['down', 'Unknown'],
    ] as const) {
      await core.createNode({ body: { metadata: { name, labels: { 'kubernetes.io/hostname': name } } } });
      const body = { status: { conditions: [ready(status)] } };
      await core.patchNodeStatus({ name, body }, setHeaderOptions('Content-Type', 'application/merge-patch+json'));
    }
    const [fine, lost, heard, stuck, full] = (await Promise.all(Array.from({ length: 5 }, () => newHome()))) as [
      Home,
      Home,
      Home,
      Home,
      Home,
    ];
    await putPod(fine.siteId, {}, 'up');
    await putPod(lost.siteId, {}, 'down');
    await putPod(heard.siteId, {}, 'down');
    const unplaced = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      lastTransitionTime: minutesAgo,
    };
    for (const [home, node] of [
      [stuck, 'down'],
      [full, 'up'],
    ] as const) {
      await bindVolume(home.siteId, node);
      await putPod(home.siteId, { phase: 'Pending', conditions: [unplaced] });
    }
    const { ended, homeless } = await cluster.endLost(async (siteId) => siteId === heard.siteId);
    assert.deepEqual([ended.sort(), homeless], [[lost.siteId, stuck.siteId].sort(), [stuck.siteId]]);
    const pod = ({ siteId }: { siteId: string }) => core.readNamespacedPod({ name: podName(siteId), namespace });
    assert.ok(await isGone(pod(lost)));
    assert.ok(await isGone(pod(stuck)));
    assert.ok((await pod(fine)).metadata);
    assert.ok((await pod(heard)).metadata, 'what still speaks to us stays');
    assert.ok((await lost.claim()).metadata && !(await lost.claim()).metadata?.deletionTimestamp);
    assert.ok(await isMarked(stuck.claim()));
    assert.ok((await pod(full)).metadata && !(await isMarked(full.claim())), 'a machine without room loses nothing');
  });

  test('are gone with all that they had', async () => {
    const { siteId, set, claim } = await newHome();
    await putPod(siteId, {});
    await cluster.delete(siteId);
    assert.ok(await isGone(set()));
    assert.ok(await isMarked(claim()));
    await cluster.delete(siteId);
  });

  /** Claims that were in use are only marked, until a controller that is not here has seen that they are not. */
  async function isMarked(call: ReturnType<typeof core.readNamespacedPersistentVolumeClaim>): Promise<boolean> {
    return call.then(
      ({ metadata }) => metadata?.deletionTimestamp !== undefined,
      (error) => error.code === 404,
    );
  }

  /** A volume of one machine. */
  async function bindVolume(siteId: string, node: string): Promise<void> {
    const name = `volume-of-${node}`;
    const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
    await core.createPersistentVolume({
      body: {
        metadata: { name },
        spec: {
          capacity: { storage: '4Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: options.storageClass,
          local: { path: '/nowhere' },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
        },
      },
    });
    await core.patchNamespacedPersistentVolumeClaim(
      { name: homeName(siteId), namespace, body: { spec: { volumeName: name } } },
      setHeaderOptions('Content-Type', 'application/merge-patch+json'),
    );
  }

  /** What the controllers and a machine would do. */
  async function putPod(siteId: string, status: object, nodeName?: string): Promise<void> {
    const name = podName(siteId);
    const { spec } = await apps.readNamespacedStatefulSet({ name: homeName(siteId), namespace });
    const template = spec?.template;
    const pod = { ...template?.spec, containers: template?.spec?.containers ?? [], ...(nodeName && { nodeName }) };
    await core.createNamespacedPod({
      namespace,
      body: { metadata: { name, ...(template?.metadata?.labels && { labels: template.metadata.labels }) }, spec: pod },
    });
    const asStatus = setHeaderOptions('Content-Type', 'application/merge-patch+json');
    await core.patchNamespacedPodStatus({ name, namespace, body: { status } }, asStatus);
  }
});
