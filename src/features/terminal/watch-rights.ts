import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { stillMay } from './terminal.ts';

/** A change of rights is heard of at once; that the site went to another team, by looking. */
const LOOK_MS = 25_000;

/**
 * Calls `lost` when somebody at a terminal of the site no longer may be there: right now, or as soon as that is so. Returns what ends the
 * watch.
 */
export async function watchRights(
  services: Services,
  caller: Caller,
  siteId: string,
  lost: () => void,
): Promise<() => void> {
  let leave = () => {};
  let isOver = false;
  const stop = () => {
    isOver = true;
    clearInterval(clock);
    leave();
  };
  const look = async () => {
    if (isOver || (await stillMay(services, caller, siteId)) || isOver) return;
    stop();
    lost();
  };
  const clock = setInterval(() => look().catch(() => {}), LOOK_MS).unref();
  const listen = async () => {
    let isBeginning = true;
    const again = () => {
      // When it ends before it has begun, this process stops.
      if (!isBeginning && !isOver) listen().catch(() => {});
    };
    leave = await services.events.subscribe({ caller, receive: () => {}, end: again });
    isBeginning = false;
    if (isOver) leave();
    // Only now could no change be missed.
    await look();
  };
  await listen();
  return stop;
}
