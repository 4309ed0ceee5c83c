import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * For long work in small parts. All of it in this process takes turns: between two parts, of whatever work, the event loop goes round once. Where each
 * waited for the event loop alone, ten at a time would keep everybody else for ten parts.
 */
export function nextTurn(): Promise<void> {
  const mine = last.then(() => setImmediate());
  last = mine;
  return mine;
}
