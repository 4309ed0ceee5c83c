import { setTimeout as sleep } from 'node:timers/promises';

/** Asks an address all the time, in a process of its own, and tells how long each answer took when it is told to. */
const [url = ''] = process.argv.slice(2);
const PAUSE_MS = 5;
let taken: number[] = [];
let startedMs: number | undefined;
process.on('message', () => {
  // Who is waiting still has waited so long already.
  process.send?.(startedMs === undefined ? taken : [...taken, performance.now() - startedMs]);
  taken = [];
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
for (;;) {
  startedMs = performance.now();
  const { status } = await fetch(url);
  if (status !== 200) throw new Error(`it was answered with ${status}`);
  taken.push(performance.now() - startedMs);
  startedMs = undefined;
  await sleep(PAUSE_MS);
}
