import { setTimeout as sleep } from 'node:timers/promises';

const TURN_MS = 5;

/**
 * Waits in turns of the event loop and not by the clock alone. A process that got no processor for a while had no turn
 * either, and has done nothing of what is waited for.
 */
export async function pause(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= TURN_MS) await sleep(Math.min(left, TURN_MS));
}
