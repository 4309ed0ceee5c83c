import type { Cluster, HomeListener, KnownHome, SiteHome } from '#core/cluster.ts';
import { InTurn } from '#core/in-turn.ts';
import type { SitePods } from './site-pods.ts';

/** A cluster without Kubernetes, for tests of what is around one: homes are records, and their pods run on this machine. */
export class LocalCluster implements Cluster {
  pods: SitePods | undefined;
  /** Why pods do not start, where they do not. */
  obstacle: string | undefined;
  isAway = false;
  readonly homes = new Map<string, { home: SiteHome; isAwake: boolean }>();
  readonly #listeners = new Set<HomeListener>();
  readonly #turns = new InTurn();

  async apply(home: SiteHome): Promise<void> {
    this.#requireThere();
    const before = this.homes.get(home.siteId);
    this.homes.set(home.siteId, { isAwake: false, ...before, home });
    this.#tell(home.siteId);
  }

  async scale(siteId: string, replicas: 0 | 1): Promise<boolean> {
    this.#requireThere();
    const known = this.homes.get(siteId);
    if (!known) return false;
    known.isAwake = replicas === 1;
    this.#tell(siteId);
    void this.#turns.next(siteId, () => this.#follow(siteId));
    return true;
  }

  async has(siteId: string): Promise<boolean> {
    return this.homes.has(siteId);
  }

  async trouble(): ReturnType<Cluster['trouble']> {
    return this.obstacle === undefined ? undefined : { reason: this.obstacle, isFinal: true };
  }

  async delete(siteId: string): Promise<void> {
    this.#requireThere();
    this.homes.delete(siteId);
    await this.#turns.next(siteId, async () => {
      await this.pods?.stop(siteId);
      await this.pods?.loseVolume(siteId);
    });
  }

  watch(listener: HomeListener, signal: AbortSignal): Promise<void> {
    this.#listeners.add(listener);
    listener.listed([...this.homes.keys()].flatMap((siteId) => this.#known(siteId)));
    return new Promise((resolve) => {
      const leave = () => {
        this.#listeners.delete(listener);
        resolve();
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  async endLost(): ReturnType<Cluster['endLost']> {
    return { ended: [], homeless: [] };
  }

  /** What was scaled is so. */
  settled(siteId: string): Promise<void> {
    return this.#turns.next(siteId, async () => {});
  }

  async #follow(siteId: string): Promise<void> {
    const isAwake = this.homes.get(siteId)?.isAwake && this.obstacle === undefined;
    if (isAwake) await this.pods?.start(siteId);
    else await this.pods?.stop(siteId);
  }

  #requireThere(): void {
    if (this.isAway) throw new Error('connect ECONNREFUSED');
  }

  #tell(siteId: string): void {
    for (const { changed } of this.#listeners) this.#known(siteId).forEach(changed);
  }

  #known(siteId: string): KnownHome[] {
    const known = this.homes.get(siteId);
    if (!known) return [];
    return [{ siteId, isAwake: known.isAwake, isLike: ({ plan }) => plan === known.home.plan }];
  }
}
