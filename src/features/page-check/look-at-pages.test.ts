import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SiteFailure } from '#runtimes/runtime.ts';
import { askPatiently } from './look-at-pages.ts';

const patience = { attempts: 3, timeoutMs: 100, pauseMs: 0, maxLoadFactor: 4 };

/** Answers one after another, each a status or the reason why there is none. */
function pageThat(...answers: (number | Error)[]) {
  const timeouts: number[] = [];
  const ask = async (timeoutMs: number) => {
    timeouts.push(timeoutMs);
    const answer = answers[timeouts.length - 1];
    if (typeof answer === 'number') return answer;
    throw answer ?? new Error('it was asked too often');
  };
  return { ask, timeouts };
}
const late = () => new DOMException('the operation timed out', 'TimeoutError');
const failure = (reason: ConstructorParameters<typeof SiteFailure>[0]) => new SiteFailure(reason, reason);

suite('a page that does not answer in time', () => {
  test('is requested again, and its next response counts', async () => {
    const page = pageThat(late(), failure('overload'), 200);
    assert.equal(await askPatiently(page.ask, 3, patience, () => 0), 200);
    const broken = pageThat(failure('timeout'), 500);
    assert.equal(await askPatiently(broken.ask, 3, patience, () => 0), 500);
  });

  test('counts as broken after the last attempt', async () => {
    const page = pageThat(late(), late(), late());
    assert.equal(await askPatiently(page.ask, 3, patience, () => 0), null);
    assert.equal(page.timeouts.length, 3);
  });

  test('has more time while the machine is busy, up to a limit', async () => {
    for (const [load, timeoutMs] of [
      [0.2, 100],
      [2.5, 250],
      [50, 400],
    ] as const) {
      const page = pageThat(200);
      await askPatiently(page.ask, 1, patience, () => load);
      assert.deepEqual(page.timeouts, [timeoutMs]);
    }
  });

  test('is not requested again after PHP crashed, since load does not explain a crash', async () => {
    for (const reason of ['crash', 'memory'] as const) {
      const page = pageThat(failure(reason), 200);
      assert.equal(await askPatiently(page.ask, 3, patience, () => 0), null);
    }
  });
});
