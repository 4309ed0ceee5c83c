import { getCompileCacheDir } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setSessionPriority } from '#core/priority.ts';
import { programFile } from '#core/program.ts';
import { type Peer, startPeer } from '#core/starter/starter.ts';
import { reviveFailure, TimeMachineFailure } from '../failure.ts';
import type { StoreDescription } from '../stores/open-store.ts';
import type {
  Announcement,
  CallName,
  Calls,
  DifferenceList,
  FromProcess,
  ListDifference,
  Progress,
  ToProcess,
} from './protocol.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'program.ts'));
const END_MS = 5_000;
/** Nothing of ours but where compiled code is kept: without it a start takes five times as long. */
const cacheFolder = getCompileCacheDir();
const ENVIRONMENT: Record<string, string> =
  cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheFolder) };

export interface CallOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called before anything is changed; the work goes on when it resolves. Until then what is planned can be listed. */
  onPlanned?: ((plan: Announcement, list: ListDifference) => Promise<void>) | undefined;
  /** Gives contents by their names, where the work asks for some. */
  give?: ((names: string[]) => Promise<Uint8Array[]>) | undefined;
  /** The process is ended when it says nothing for so long; null lets it take the time it needs. */
  silenceMs?: number | null;
  /** Nobody waits for it: those for whom somebody does come first. */
  isPatient?: boolean;
  /** Ends the process, whatever it is at. */
  signal?: AbortSignal | undefined;
}

/** One process of program.ts; it does one call at a time. */
export class HelperProcess {
  readonly #store: StoreDescription;
  readonly #isNice: boolean;
  /** Gone when its end is known. */
  #peer: Promise<Peer> | undefined;
  /** Those that wait for their turn, and all that have no answer yet. */
  readonly #waiting: { begin: () => Promise<unknown>; isPatient: boolean }[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #isBusy = false;
  #nextId = 1;
  #usedAtMs = 0;

  /** `nice`: what nobody waits for lets visitors go first. */
  constructor(store: StoreDescription, priority?: 'nice') {
    this.#store = store;
    this.#isNice = priority === 'nice';
  }

  /** It is not idle while it is at something, be that its first call: then there was no use before. */
  get idleMs(): number {
    return this.#peer && this.#pending.size === 0 ? performance.now() - this.#usedAtMs : 0;
  }

  call<Name extends CallName>(
    name: Name,
    args: Parameters<Calls[Name]>,
    options: CallOptions = {},
  ): Promise<ReturnType<Calls[Name]>> {
    const answer = new Promise<unknown>((resolve, reject) => {
      const begin = () => this.#callNow(name, args, options).then(resolve, reject);
      const { isPatient = false } = options;
      const place = isPatient ? -1 : this.#waiting.findIndex((each) => each.isPatient);
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, { begin, isPatient });
    });
    void this.#next();
    return this.#untilAnswered(answer) as Promise<ReturnType<Calls[Name]>>;
  }

  /** The same without waiting for the calls before it: for what keeps nothing open. */
  callBeside<Name extends CallName>(
    name: Name,
    args: Parameters<Calls[Name]>,
    options: CallOptions = {},
  ): Promise<ReturnType<Calls[Name]>> {
    return this.#untilAnswered(this.#callNow(name, args, options)) as Promise<ReturnType<Calls[Name]>>;
  }

  /** Who closes waits for it. */
  #untilAnswered(answer: Promise<unknown>): Promise<unknown> {
    const ended: Promise<unknown> = answer.catch(() => {}).then(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return answer;
  }

  async #next(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let call = this.#waiting.shift(); call; call = this.#waiting.shift()) await call.begin();
    this.#isBusy = false;
  }

  /** What it knows of a site is written down, for other processes, whatever it is at; one that does not run knows nothing. */
  async remember(site: string, silenceMs: number): Promise<void> {
    if (this.#peer) await this.#callNow('remember', [site], { silenceMs }).catch(() => {});
  }

  /** Lets go of a site that no call is about, without waiting for those about others. */
  async release(site: string): Promise<void> {
    if (this.#peer) await this.#callNow('release', [site], {}).catch(() => {});
  }

  /** Waits for what is running, then lets the process write down what it knows and end. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
    const peer = await this.#peer?.catch(() => undefined);
    this.#peer = undefined;
    if (!peer) return;
    const timer = setTimeout(() => kill(peer), END_MS);
    peer.channel.end();
    await peer.closed;
    clearTimeout(timer);
  }

  async #callNow(
    call: CallName,
    args: unknown[],
    { onProgress, onPlanned, give, signal, silenceMs = null }: CallOptions,
  ): Promise<unknown> {
    const running = await this.#running();
    const { channel } = running.peer;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const silent = () => {
        this.#end(running);
        end(() => reject(new TimeMachineFailure('stalled', `it came no further in ${silenceMs} ms`)));
      };
      const timer = silenceMs === null ? undefined : setTimeout(silent, silenceMs);
      let onListed = (_list: DifferenceList) => {};
      // One after another; where the process ends meanwhile, so does the call.
      const list: ListDifference = (window) =>
        new Promise((listed) => {
          onListed = listed;
          channel.send({ id, list: window } satisfies ToProcess);
        });
      const end = (tell: () => void) => {
        clearTimeout(timer);
        this.#usedAtMs = performance.now();
        channel.off('message', onMessage).off('close', onExit);
        signal?.removeEventListener('abort', onAbort);
        tell();
      };
      // Without the word nothing is changed, and the process has nothing else to do.
      const stop = (error: unknown) => {
        this.#end(running);
        end(() => reject(error));
      };
      const onMessage = (told: unknown) => {
        const message = told as FromProcess;
        if (message.id !== id) return;
        timer?.refresh();
        if ('value' in message) end(() => resolve(message.value));
        else if ('failure' in message) end(() => reject(reviveFailure(message.failure)));
        else if ('progress' in message) onProgress?.(message.progress);
        else if ('listed' in message) onListed(message.listed);
        else if ('wanted' in message) {
          const send = (given: Uint8Array[]) => channel.send({ id, given } satisfies ToProcess);
          (give?.(message.wanted) ?? Promise.resolve([])).then(send, stop);
        } else {
          const proceed = () => channel.send({ id, proceed: true } satisfies ToProcess);
          (onPlanned?.(message.planned, list) ?? Promise.resolve()).then(proceed, stop);
        }
      };
      const onExit = () => end(() => reject(new TimeMachineFailure('ended', 'its process ended unexpectedly')));
      const onAbort = () => {
        this.#end(running);
        end(() => reject(new TimeMachineFailure('aborted', 'it was called off')));
      };
      channel.on('message', onMessage).once('close', onExit);
      if (!channel.isOpen) return onExit();
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
      channel.send({ id, call, args } satisfies ToProcess);
    });
  }

  /** The next call gets a new process, and does not wait for this one to be gone. */
  #end({ peer, asked }: Running): void {
    kill(peer);
    this.#drop(asked);
  }

  async #running(): Promise<Running> {
    this.#peer ??= this.#start();
    const asked = this.#peer;
    try {
      const peer = await asked;
      if (!peer.isOver && peer.channel.isOpen) return { peer, asked };
    } catch (error) {
      this.#drop(asked);
      throw error;
    }
    this.#drop(asked);
    return this.#running();
  }

  /** Somebody else may have started another by now. */
  #drop(peer: Promise<Peer>): void {
    if (this.#peer === peer) this.#peer = undefined;
  }

  async #start(): Promise<Peer> {
    const args = ['--disable-warning=ExperimentalWarning', PROGRAM];
    const peer = await startPeer(process.execPath, args, { cwd: process.cwd(), env: ENVIRONMENT, isHeard: true });
    peer.channel.send({ store: this.#store } satisfies ToProcess);
    if (this.#isNice) lower(peer);
    const asked = this.#peer;
    if (asked) void peer.closed.then(() => this.#drop(asked));
    return peer;
  }
}

interface Running {
  peer: Peer;
  /** What it is known by while it runs. */
  asked: Promise<Peer>;
}

function lower({ pid, isOver }: Peer): void {
  if (!isOver) setSessionPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
}

function kill({ pid, isOver }: Peer): void {
  try {
    if (!isOver) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}
