import type { MockTracker } from 'node:test';

/** Lets time pass for what reckons with the time of day and for what measures how long something takes; timers stay as they are. */
export function movableClock({ mock }: { mock: MockTracker }): { tick(ms: number): void } {
  const measured = performance.now.bind(performance);
  let movedMs = 0;
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  mock.method(performance, 'now', () => measured() + movedMs);
  return {
    tick(ms) {
      movedMs += ms;
      mock.timers.tick(ms);
    },
  };
}
