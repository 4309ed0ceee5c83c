import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ApiException,
  AppsV1Api,
  ConfigurationOptions,
  CoreV1Api,
  KubeConfig,
  V1Node,
  V1Pod,
  V1StatefulSet,
  V1StatefulSetSpec,
  Watch,
} from '@kubernetes/client-node';
import {
  type Cluster,
  type HomeListener,
  type KnownHome,
  type PodCredentials,
  type SiteHome,
  siteHostName,
} from '#core/cluster.ts';
import type { Log } from '#core/log.ts';
import { followList } from './follow-list.ts';
import { canHave, isDown, troubleOf, unplacedSince } from './pod-state.ts';
import {
  claimOf,
  homeName,
  homeOf,
  homesOf,
  isLike,
  type PodOptions,
  podName,
  SITE_LABEL,
  secretOf,
} from './site-manifests.ts';

export interface KubernetesOptions extends PodOptions {
  /** The rights that this pod was given, or a file. */
  access: 'in-cluster' | { kubeconfig: string };
  /** What a pod shows that it is this host. */
  credentials(host: string): PodCredentials;
  log: Log;
}

/** Whose fields are ours, and who made the object: `replicas` is not among what we apply. */
const APPLIER = 'siteyard';
const MAKER = 'siteyard-make';
const GONE_LIMIT_MS = 90_000;
const LOOK_MS = 250;
/** The cluster allows a pod so long to end, and its machine so long to be silent. */
const DOWN_MS = 30_000;
const STUCK_MS = 60_000;

interface Client {
  apps: AppsV1Api;
  core: CoreV1Api;
  watch: Watch;
  as(contentType: string): ConfigurationOptions;
}

/** A Kubernetes cluster that sites are on. Its library is only loaded where one is spoken to. */
export class Kubernetes implements Cluster {
  readonly #options: KubernetesOptions;
  #client: Promise<Client> | undefined;

  constructor(options: KubernetesOptions) {
    this.#options = options;
  }

  async apply(home: SiteHome): Promise<void> {
    const { apps, core, as } = await this.#open();
    const { namespace } = this.#options;
    const body = homeOf(this.#options, home);
    const name = homeName(home.siteId);
    if (!(await this.#find(home.siteId)))
      // Asleep from its beginning; whoever else makes it in this moment makes the same.
      await orNothing(
        409,
        apps.createNamespacedStatefulSet({
          namespace,
          body: { ...body, spec: { ...(body.spec as V1StatefulSetSpec), replicas: 0 } },
          fieldManager: MAKER,
        }),
      );
    const ours = { name, namespace, fieldManager: APPLIER, force: true };
    const applying = as('application/apply-patch+yaml');
    const made = await apps.patchNamespacedStatefulSet({ ...ours, body }, applying);
    const { cluster, credentials } = this.#options;
    const secret = secretOf(
      this.#options,
      home,
      made.metadata?.uid ?? '',
      credentials(siteHostName(cluster, home.siteId)),
    );
    await core.patchNamespacedSecret({ ...ours, body: secret }, applying);
    const claim = claimOf(this.#options, home, made.metadata?.uid ?? '');
    // A smaller plan keeps its larger volume: none can shrink.
    await orNothing(422, core.patchNamespacedPersistentVolumeClaim({ ...ours, body: claim }, applying));
    if (!(await orNothing(404, core.readNamespacedPersistentVolumeClaim({ name, namespace }))))
      throw new Error(`the cluster took no claim of a volume for ${name}`);
  }

  async scale(siteId: string, replicas: 0 | 1): Promise<boolean> {
    const { apps, as } = await this.#open();
    const at = this.#at(homeName(siteId));
    const body = { spec: { replicas } };
    const done = apps.patchNamespacedStatefulSetScale({ ...at, body }, as('application/merge-patch+json'));
    return (await orNothing(404, done)) !== undefined;
  }

  async has(siteId: string): Promise<boolean> {
    return (await this.#find(siteId)) !== undefined;
  }

  async trouble(siteId: string): ReturnType<Cluster['trouble']> {
    const pod = await this.#pod(siteId);
    return pod && troubleOf(pod);
  }

  async delete(siteId: string): Promise<void> {
    const { apps, core } = await this.#open();
    const at = this.#at(homeName(siteId));
    await orNothing(404, apps.deleteNamespacedStatefulSet({ ...at, propagationPolicy: 'Background' }));
    // The cluster would do both by itself, a while later.
    await orNothing(404, core.deleteNamespacedPersistentVolumeClaim(at));
    await orNothing(404, core.deleteNamespacedPod(this.#at(podName(siteId))));
    for (const deadline = performance.now() + GONE_LIMIT_MS; await this.#pod(siteId); await sleep(LOOK_MS))
      if (performance.now() > deadline) throw new Error(`the pod of the site ${siteId} does not end`);
  }

  async watch(listener: HomeListener, signal: AbortSignal): Promise<void> {
    const { apps, watch } = await this.#open();
    const { namespace, log } = this.#options;
    const labelSelector = homesOf(this.#options);
    await followList<V1StatefulSet>({
      watch,
      path: `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
      query: { labelSelector },
      list: (part) => apps.listNamespacedStatefulSet({ namespace, labelSelector, ...part }),
      listed: (all) => listener.listed(all.flatMap((each) => this.#known(each))),
      changed: (each) => this.#known(each).forEach(listener.changed),
      log,
      signal,
    });
  }

  async endLost(isHeard: (siteId: string) => Promise<boolean>): ReturnType<Cluster['endLost']> {
    const { core } = await this.#open();
    const nodes = (await core.listNode()).items;
    const ended: string[] = [];
    const homeless: string[] = [];
    // Where there is no trouble, nothing but the nodes is asked for. The pods of a node that is no longer in the cluster end by themselves.
    for (const { metadata } of nodes.filter((node) => isDown(node, DOWN_MS)))
      for (const pod of await this.#pods(`spec.nodeName=${metadata?.name}`)) {
        if (await isHeard(pod.siteId)) continue;
        await this.#endPod(pod.siteId);
        ended.push(pod.siteId);
      }
    const up = nodes.filter((node) => !isDown(node, DOWN_MS));
    for (const pod of await this.#pods('status.phase=Pending')) {
      const { siteId } = pod;
      const sinceMs = unplacedSince(pod);
      const fate = sinceMs === undefined ? 'fine' : await this.#fateOfVolume(siteId, up);
      if (fate === 'missing') homeless.push(siteId);
      if (fate !== 'lost' || Date.now() - (sinceMs ?? 0) < STUCK_MS) continue;
      // What was on it is in the store of backups, and comes back from there (docs/decisions/0068).
      await orNothing(404, core.deleteNamespacedPersistentVolumeClaim(this.#at(homeName(siteId))));
      await this.#endPod(siteId);
      ended.push(siteId);
      homeless.push(siteId);
    }
    return { ended, homeless };
  }

  /** A volume is lost when it can only be had on machines that are not there; a machine that is full is no such thing. */
  async #fateOfVolume(siteId: string, up: readonly V1Node[]): Promise<'fine' | 'missing' | 'lost'> {
    const { core } = await this.#open();
    const claim = await orNothing(404, core.readNamespacedPersistentVolumeClaim(this.#at(homeName(siteId))));
    if (!claim || claim.metadata?.deletionTimestamp) return 'missing';
    const name = claim.spec?.volumeName;
    if (!name) return 'fine';
    const volume = await orNothing(404, core.readPersistentVolume({ name }));
    return volume && up.some((node) => canHave(node, volume)) ? 'fine' : 'lost';
  }

  async #pods(fieldSelector: string): Promise<(V1Pod & { siteId: string })[]> {
    const { core } = await this.#open();
    const { namespace } = this.#options;
    const { items } = await core.listNamespacedPod({ namespace, labelSelector: homesOf(this.#options), fieldSelector });
    return items.flatMap((pod) => {
      const siteId = pod.metadata?.labels?.[SITE_LABEL];
      return siteId === undefined ? [] : [{ ...pod, siteId }];
    });
  }

  /** At once: nobody is there who could be waited for. */
  async #endPod(siteId: string): Promise<void> {
    const { core } = await this.#open();
    await orNothing(404, core.deleteNamespacedPod({ ...this.#at(podName(siteId)), gracePeriodSeconds: 0 }));
  }

  #at(name: string): { name: string; namespace: string } {
    return { name, namespace: this.#options.namespace };
  }

  #known(found: V1StatefulSet): KnownHome[] {
    const siteId = found.metadata?.labels?.[SITE_LABEL];
    if (siteId === undefined) return [];
    return [
      {
        siteId,
        isAwake: (found.spec?.replicas ?? 1) > 0,
        isLike: (home) => isLike(this.#options, found, home),
      },
    ];
  }

  async #find(siteId: string): Promise<V1StatefulSet | undefined> {
    const { apps } = await this.#open();
    return orNothing(404, apps.readNamespacedStatefulSet(this.#at(homeName(siteId))));
  }

  async #pod(siteId: string): Promise<V1Pod | undefined> {
    const { core } = await this.#open();
    return orNothing(404, core.readNamespacedPod(this.#at(podName(siteId))));
  }

  #open(): Promise<Client> {
    this.#client ??= this.#load();
    this.#client.catch(() => {
      this.#client = undefined;
    });
    return this.#client;
  }

  async #load(): Promise<Client> {
    const kubernetes = await import('@kubernetes/client-node');
    const config: KubeConfig = new kubernetes.KubeConfig();
    const { access } = this.#options;
    if (access === 'in-cluster') config.loadFromCluster();
    else config.loadFromFile(access.kubeconfig);
    return {
      apps: config.makeApiClient(kubernetes.AppsV1Api),
      core: config.makeApiClient(kubernetes.CoreV1Api),
      watch: new kubernetes.Watch(config),
      as: (type) => kubernetes.setHeaderOptions('Content-Type', type),
    };
  }
}

/** What the cluster refuses with this code is no failure. */
async function orNothing<T>(code: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as ApiException<unknown>).code === code) return undefined;
    throw error;
  }
}
