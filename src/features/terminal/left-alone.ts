import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { watchRights } from './sitting.ts';
import type { Seat } from './terminal.ts';

/** As long as a terminal goes on that nobody looks at. */
const ALONE_MS = 5 * 60_000;

/** What watches over each terminal that was left alone by this process. */
const watches = new Map<string, () => void>();

/** Whoever left it may have lost the right, or may lose it before they come back: then the terminal ends too. */
export async function watchWhileAlone(services: Services, caller: Caller, { site, sessionId }: Seat): Promise<void> {
  comeBack(sessionId);
  let isOver = false;
  let leave = () => {};
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    if (watches.get(sessionId) === stop) watches.delete(sessionId);
    leave();
  };
  const timer = setTimeout(stop, ALONE_MS).unref();
  watches.set(sessionId, stop);
  leave = await watchRights(services, caller, site.id, () => {
    stop();
    services.hosts.endTerminal(site, caller.userId, sessionId).catch(() => {});
  });
  // Somebody came back meanwhile.
  if (isOver) leave();
}

/** Somebody looks at it again. */
export function comeBack(sessionId: string): void {
  watches.get(sessionId)?.();
}
