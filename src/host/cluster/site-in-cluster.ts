import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, PodTrouble, SiteHome } from '#core/cluster.ts';
import { HostAway } from '../host-unreachable.ts';
import type { Place, SiteHost, SiteRef } from '../site-host.ts';
import { type HostCall, hostCalls } from '../wire/host-calls.ts';

/** A process that has a host inside, and where it listens. */
interface HostProcess {
  id: string;
  address: string;
}

export interface SiteInClusterOptions {
  /** The host's name, and the site that it is for. */
  name: string;
  siteId: string;
  cluster: Cluster;
  /** The processes that say that they are this host, the likeliest first. */
  processes(): Promise<HostProcess[]>;
  /** What the cluster has to know of the site; undefined where there is no such site. */
  describe(): Promise<SiteHome | undefined>;
  /** What an instance took up when it was last measured. */
  measured(id: string): Promise<number>;
  /** The host at these addresses. */
  reach(addresses: readonly string[]): SiteHost;
  /** Whether it answers there. */
  knock(addresses: readonly string[]): Promise<boolean>;
  /** Lets the site's pod read for a while what another host keeps; undefined where that is the site's own past. */
  lend(keptBy: string): string | undefined;
  /**
   * Called when the site's processes have ended and before its pod does, so that nobody has to be woken for what is due of it. False where
   * the pod is still needed: whoever looks after the cluster lets it sleep later. `end` ends what has begun to run meanwhile.
   */
  settle(end: () => Promise<void>): Promise<boolean>;
  /** Answers for a site that has no home any more, such as what is to be forgotten of it. */
  keeper(): Promise<SiteHost>;
  wakeMs: number;
}

const LOOK_MS = 100;
const TROUBLE_LOOK_MS = 2_000;
const SILENT_MS = 10_000;

const NOBODY = Symbol('nobody');

/** Nobody can say where the host is, as long as the database does not answer. */
class HostUnseen extends HostAway {}

/** What these say of a site whose pod does not run. To ask is no reason to wake it. */
const ASLEEP: Partial<Record<HostCall, unknown>> = {
  list: [],
  endOrphans: undefined,
  terminals: { own: [], isFull: false },
  endTerminal: false,
  stopEditor: undefined,
  editorState: { state: 'asleep' },
  hasOutgoingMail: false,
  // Cuts are at hand where they are needed, and a pod is for one site alone.
  shareCut: undefined,
};

/** What can wait until the site is awake for somebody. What is new in its backups is told without hurry, or to somebody who waits for it. */
function canWait(name: HostCall | 'start', args: unknown[]): boolean {
  return name === 'prune' || name === 'check' || (name === 'tell' && args[TELL_IS_PATIENT] === true);
}
const TELL_IS_PATIENT = 4;

/** The host of one site on a cluster: a pod that is woken when somebody asks for it (docs/decisions/0068). */
export class SiteInCluster {
  readonly #options: SiteInClusterOptions;
  /** Processes that did not answer, and until when that is believed: most are gone, and some were only hard to reach. */
  readonly #silent = new Map<string, number>();
  #waking: Promise<SiteHost> | undefined;

  constructor(options: SiteInClusterOptions) {
    this.#options = options;
  }

  /** All the calls of a host. */
  get host(): SiteHost {
    const calls = ['start' as const, ...hostCalls].map((name) => {
      const call = (...args: unknown[]) => this.#call(name, args);
      return [name, call];
    });
    return {
      ...Object.fromEntries(calls),
      delete: this.#delete,
      make: this.#make,
      stop: this.#stop,
      forget: this.#forget,
    };
  }

  readonly #delete: SiteHost['delete'] = async (site) => {
    const { cluster, siteId } = this.#options;
    if (site.id === siteId) return cluster.delete(siteId);
    // A stage goes with its site.
    if (await cluster.has(siteId)) await this.#askAwake('delete', [site]);
  };

  readonly #make: SiteHost['make'] = async (site, from) => {
    if (site.id === this.#options.siteId) await this.#apply();
    if (from.kind !== 'cut') return this.#askAwake('make', [site, from]) as Promise<void>;
    const grant = from.keptBy === undefined ? undefined : this.#options.lend(from.keptBy);
    const own = { ...from, isShared: false, ...(grant !== undefined && { grant }) };
    return this.#askAwake('make', [site, own]) as Promise<void>;
  };

  /** The last one turns off the light: a stage that ends leaves its site running. Resolves when nobody is there any more, or is there for something else. */
  readonly #stop: SiteHost['stop'] = async (site) => {
    const { cluster, siteId, name, wakeMs, settle } = this.#options;
    if (site.id !== siteId) return void (await this.#ifAwake('stop', [site], undefined));
    const end = async () => void (await this.#ifAwake('stop', [site], undefined));
    if ((await this.#ifAwake('stop', [site], NOBODY)) !== NOBODY && !(await settle(end))) return;
    for (const deadline = performance.now() + wakeMs; ; await sleep(LOOK_MS)) {
      const isThere = await this.#ifAwake('stop', [site], false).then((answer) => answer !== false);
      await cluster.scale(siteId, 0);
      if (!isThere) return;
      if (performance.now() > deadline) throw new HostAway(`the host ${name} does not stop`);
    }
  };

  readonly #forget: SiteHost['forget'] = async (site, space) => {
    const { cluster, siteId, keeper } = this.#options;
    if (!(await cluster.has(siteId))) return (await keeper()).forget(site, space);
    return this.#askAwake('forget', [site, space]) as Promise<void>;
  };

  async #call(name: HostCall | 'start', args: unknown[]): Promise<unknown> {
    // Nothing grows while it sleeps.
    if (name === 'diskUsageBytes') {
      const answer = await this.#ifAwake(name, args, NOBODY);
      return answer === NOBODY ? this.#options.measured((args[0] as SiteRef).id) : answer;
    }
    if (name in ASLEEP) return this.#ifAwake(name, args, ASLEEP[name as HostCall]);
    if (!canWait(name, args)) return this.#askAwake(name, args);
    const answer = await this.#ifAwake(name, args, NOBODY);
    if (answer === NOBODY) throw new HostAway(`the host ${this.#options.name} sleeps`);
    return answer;
  }

  async #askAwake(name: HostCall | 'start', args: unknown[]): Promise<unknown> {
    const answer = await this.#ifAwake(name, args, NOBODY).catch((error) => {
      // It may be awake or not: whoever wakes it waits until that can be seen.
      if (error instanceof HostUnseen) return NOBODY;
      throw error;
    });
    return answer === NOBODY ? ask(await this.#wake(), name, args) : answer;
  }

  /** Nothing was asked of somebody who was not there, so it can be asked again. */
  async #ifAwake(name: HostCall | 'start', args: unknown[], otherwise: unknown): Promise<unknown> {
    const awake = await this.#awake();
    if (!awake) return otherwise;
    try {
      return await ask(awake.host, name, args);
    } catch (error) {
      if (!(error instanceof HostAway)) throw error;
      this.#believeSilent(awake.ids);
      return otherwise;
    }
  }

  /** One wake for all who ask meanwhile. */
  #wake(): Promise<SiteHost> {
    this.#waking ??= this.#wakeUp().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }

  async #wakeUp(): Promise<SiteHost> {
    const { cluster, siteId, name, wakeMs } = this.#options;
    await this.#letRun();
    const begunAt = performance.now();
    let lookAt = begunAt + TROUBLE_LOOK_MS;
    let trouble: PodTrouble | undefined;
    let unreached: string | undefined;
    for (;;) {
      const awake = await this.#awake().catch((error: Error) => {
        unreached = error.message;
        return undefined;
      });
      if (awake && (await this.#options.knock(awake.addresses))) return awake.host;
      if (awake) {
        this.#believeSilent(awake.ids);
        unreached = `it runs, and can not be reached at ${awake.addresses.join(', ')}`;
      }
      const now = performance.now();
      if (now > lookAt) {
        lookAt = now + TROUBLE_LOOK_MS;
        const before = trouble;
        trouble = await cluster.trouble(siteId).catch(() => before);
        // Whoever puts sites to sleep may have come between.
        await this.#letRun();
        // Twice, for the cluster tries again by itself.
        if (trouble?.isFinal && before?.isFinal) break;
      }
      if (now - begunAt > wakeMs) break;
      await sleep(LOOK_MS);
    }
    throw new HostAway(`the host ${name} does not start: ${trouble?.reason ?? unreached ?? 'nobody says why'}`);
  }

  async #apply(): Promise<void> {
    const { cluster, name, describe } = this.#options;
    const home = await describe();
    if (!home) throw new HostAway(`there is no site for the host ${name}`);
    await cluster.apply(home);
  }

  async #letRun(): Promise<void> {
    const { cluster, siteId, name } = this.#options;
    try {
      if (await cluster.scale(siteId, 1)) return;
      // The cluster is another one than before, or somebody took it away.
      await this.#apply();
      await cluster.scale(siteId, 1);
    } catch (error) {
      if (error instanceof HostAway) throw error;
      throw new HostAway(`the cluster of ${name} does not answer: ${(error as Error).message.split('\n')[0]}`);
    }
  }

  async #awake(): Promise<{ host: SiteHost; addresses: string[]; ids: string[] } | undefined> {
    const now = performance.now();
    const isHeard = ({ id }: HostProcess) => (this.#silent.get(id) ?? 0) < now;
    const found = await this.#options.processes().catch((error: Error) => {
      throw new HostUnseen(`it can not be seen where the host ${this.#options.name} is: ${error.message}`);
    });
    const processes = found.filter(isHeard);
    if (processes.length === 0) return undefined;
    const addresses = processes.map(({ address }) => address);
    return { host: this.#options.reach(addresses), addresses, ids: processes.map(({ id }) => id) };
  }

  #believeSilent(ids: readonly string[]): void {
    const now = performance.now();
    for (const [id, untilMs] of this.#silent) if (untilMs < now) this.#silent.delete(id);
    for (const id of ids) this.#silent.set(id, now + SILENT_MS);
  }
}

function ask(host: SiteHost, name: HostCall | 'start', args: unknown[]): Promise<unknown> {
  return (host[name] as (...args: unknown[]) => Promise<unknown>)(...args);
}

/** Calls that are about no single site's files, or about its log: the cluster's own host answers them for all. */
const FOR_THE_KEEPER: ReadonlySet<HostCall | 'start'> = new Set([
  'prepared',
  'shell',
  'coreVersions',
  'phpVersions',
  'inspect',
  'appendLog',
  'readLog',
  'groupErrors',
  'endOfLog',
  'readLogOn',
  'removeLog',
]);

/** Also WordPress' own files, which are the same everywhere. */
export function isForKeeper(name: HostCall | 'start', first: Place | SiteRef): boolean {
  return FOR_THE_KEEPER.has(name) || ('root' in first && 'coreVersion' in (first.root as object));
}
