import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { AcmeProblem } from '#integrations/acme/acme.ts';
import { choosePause, chooseRenewal } from './certificate.schedule.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

test('a certificate is renewed at two thirds of its life, with a spread', () => {
  const from = new Date('2026-01-01T00:00:00Z');
  const daysUntil = (life: number, random: number) => {
    const renewal = chooseRenewal(from, new Date(from.getTime() + life * DAY_MS), random);
    return (renewal.getTime() - from.getTime()) / DAY_MS;
  };
  assert.ok(Math.abs(daysUntil(90, 0) - 60) < 0.01);
  assert.ok(Math.abs(daysUntil(90, 0.999) - 57.3) < 0.01);
  assert.ok(Math.abs(daysUntil(6, 0.5) - 3.91) < 0.01);
  const share = daysUntil(100, Math.random());
  assert.ok(share > 63.6 && share < 66.7, String(share));
});

suite('the next try after a failure', () => {
  const minutes = (failures: number, error: unknown, random = 0) => choosePause(failures, error, random) / MINUTE_MS;
  const problem = (kind: string, retryAfterMinutes?: number) =>
    new AcmeProblem(kind, 'No', retryAfterMinutes === undefined ? undefined : retryAfterMinutes * MINUTE_MS);

  test('comes three times later each time, and within half a day', () => {
    const pauses = [0, 1, 2, 3, 5, 6, 50].map((failures) => minutes(failures, new Error('ECONNREFUSED')));
    assert.deepEqual(pauses, [2, 6, 18, 54, 486, 720, 720]);
  });

  test('comes no sooner than the authority asks for', () => {
    assert.deepEqual(
      [minutes(0, problem('serverInternal', 120)), minutes(6, problem('serverInternal', 120))],
      [120, 720],
    );
    assert.equal(minutes(2, problem('serverInternal')), 18);
  });

  test('comes when the authority says, where it has no more for now', () => {
    assert.deepEqual([minutes(0, problem('rateLimited', 120)), minutes(6, problem('rateLimited', 120))], [120, 120]);
    assert.equal(minutes(1, problem('rateLimited')), 6);
  });

  test('is spread over a quarter more', () => {
    assert.equal(minutes(0, new Error('x'), 1), 2.5);
    const pause = choosePause(0, new Error('x'));
    assert.ok(pause >= 2 * MINUTE_MS && pause < 2.5 * MINUTE_MS, String(pause));
  });
});
