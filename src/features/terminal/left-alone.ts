import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { type Seat, stillMay } from './terminal.ts';

/** As long as a terminal goes on that nobody looks at. */
const ALONE_MS = 5 * 60_000;

/** What watches over each terminal that was left alone by this process. */
const watches = new Map<string, () => void>();

/** Whoever left it may have lost the right, or may lose it before they come back: then the terminal ends too. */
export async function watchWhileAlone(services: Services, caller: Caller, seat: Seat): Promise<void> {
  const { sessionId } = seat;
  comeBack(sessionId);
  if (await endUnlessAllowed(services, caller, seat)) return;
  let isBeginning = true;
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
  leave = await services.events.subscribe({
    caller,
    receive: () => {},
    end: () => {
      stop();
      // When it ends before it has begun, this process stops.
      if (!isBeginning) watchWhileAlone(services, caller, seat).catch(() => {});
    },
  });
  isBeginning = false;
  // Somebody came back meanwhile.
  if (isOver) leave();
}

/** Somebody looks at it again. */
export function comeBack(sessionId: string): void {
  watches.get(sessionId)?.();
}

async function endUnlessAllowed(services: Services, caller: Caller, { site, sessionId }: Seat): Promise<boolean> {
  if (await stillMay(services, caller, site.id)) return false;
  await services.hosts.endTerminal(site, caller.userId, sessionId);
  return true;
}
