import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesListObject, KubernetesObject, Watch } from '@kubernetes/client-node';
import type { Log } from '#core/log.ts';

export interface FollowedList<T extends KubernetesObject> {
  watch: Watch;
  path: string;
  query: Record<string, string>;
  list(part: { limit: number; _continue?: string }): Promise<KubernetesListObject<T>>;
  /** All there are: at first, and again whenever something may have been missed. */
  listed(all: T[]): void;
  /** One that is new or another. What is gone is not among the next list. */
  changed(one: T): void;
  log: Log;
  signal: AbortSignal;
}

/** After so long everything is looked at again, whatever was heard. */
const RESYNC_MS = 10 * 60_000;
const AGAIN_MS = [500, 5_000] as const;
const PAGE = 500;
/** What happened after the place that was asked from is forgotten there. */
const TOO_OLD = 410;

/**
 * Follows what a cluster has of something, for as long as nobody calls it off. A watch that just ends is taken up where it was; one that
 * breaks, and an API server that was away, is followed by a new list.
 */
export async function followList<T extends KubernetesObject>(followed: FollowedList<T>): Promise<void> {
  const { log, signal, path } = followed;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const at = await listAll(followed);
      failures = 0;
      await followFrom(followed, at);
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = Math.min(AGAIN_MS[0] * 2 ** failures++, AGAIN_MS[1]);
      log.warn({ err: error, path, waitMs }, 'a cluster could not be watched; it is tried again');
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function listAll<T extends KubernetesObject>({ list, listed }: FollowedList<T>): Promise<string> {
  const all: T[] = [];
  let next: string | undefined;
  let at = '';
  do {
    const page = await list({ limit: PAGE, ...(next ? { _continue: next } : {}) });
    all.push(...page.items);
    at = page.metadata?.resourceVersion ?? '';
    next = page.metadata?._continue || undefined;
  } while (next !== undefined);
  listed(all);
  return at;
}

async function followFrom<T extends KubernetesObject>(followed: FollowedList<T>, from: string): Promise<void> {
  const { signal } = followed;
  const until = performance.now() + RESYNC_MS;
  let at: string | undefined = from;
  while (at !== undefined && !signal.aborted && performance.now() < until) {
    at = await followOnce(followed, at);
    await sleep(AGAIN_MS[0], undefined, { signal }).catch(() => {});
  }
}

/** Resolves with where to go on, when the connection ended; with nothing, when everything is to be listed again. */
async function followOnce<T extends KubernetesObject>(
  { watch, path, query, changed, signal }: FollowedList<T>,
  from: string,
): Promise<string | undefined> {
  let at = from;
  const ended = Promise.withResolvers<string | undefined>();
  const take = (phase: string, object: T & { code?: number }) => {
    if (phase === 'ERROR') {
      if (object.code !== TOO_OLD) ended.reject(new Error(`a watch failed with ${object.code}`));
      return ended.resolve(undefined);
    }
    at = object.metadata?.resourceVersion ?? at;
    if (phase === 'ADDED' || phase === 'MODIFIED') changed(object);
  };
  const done = (error: unknown) => {
    // Silence is no failure: the library hangs up after half a minute of it.
    const isSilence = !error || (error as Error).name === 'TimeoutError' || (error as Error).name === 'AbortError';
    if (isSilence) ended.resolve(at);
    else if ((error as { statusCode?: number }).statusCode === TOO_OLD) ended.resolve(undefined);
    else ended.reject(error);
  };
  const stop = await watch.watch(path, { ...query, resourceVersion: from, allowWatchBookmarks: true }, take, done);
  const leave = () => stop.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return ended.promise.finally(() => {
    signal.removeEventListener('abort', leave);
    leave();
  });
}
