import type { Services } from '#core/services.ts';
import type { Place } from '#host/site-host.ts';
import type { ShellKind } from '#runtimes/runtime.ts';

interface Known {
  kind: ShellKind | null;
  askedAt: number;
}

/** A host may come back after an upgrade with another. */
const ASK_AGAIN_MS = 60_000;
const known = new WeakMap<Services['hosts'], Map<string, Known>>();

/** What a site has as its shell. Of another process' host as it was last heard, so that no list waits for it; null before. */
export function shellOf({ hosts, localHost }: Services, { host, driver }: Place): ShellKind | null {
  if (localHost?.name === host) return localHost.drivers[driver]?.shell ?? null;
  const kinds = known.get(hosts) ?? new Map<string, Known>();
  known.set(hosts, kinds);
  const key = `${host} ${driver}`;
  const last = kinds.get(key) ?? { kind: null, askedAt: Number.NEGATIVE_INFINITY };
  if (performance.now() - last.askedAt < ASK_AGAIN_MS) return last.kind;
  kinds.set(key, { ...last, askedAt: performance.now() });
  hosts.shell({ host, driver }).then(
    (kind) => kinds.set(key, { kind, askedAt: performance.now() }),
    () => {},
  );
  return last.kind;
}
