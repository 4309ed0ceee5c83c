import assert from 'node:assert/strict';
import { fileEnds, workerEnds } from '../runner/hooks.ts';
import { startTestApp, type TestApp, takeUndeclared } from './test-app.ts';

let shared: Promise<TestApp> | undefined;

/**
 * The platform with default options that all files of a worker process share, on one database. Starting one costs 0.6 s of processor time.
 * A file that uses it registers its own people, teams and sites, and must not assume that it sees only its own rows: nothing global (plans,
 * settings, clocks, the operator's lists) may be changed. A file that needs more starts its own app with `startTestApp`.
 */
export function sharedApp(): Promise<TestApp> {
  if (!shared) {
    shared = startTestApp();
    workerEnds.push(async () => (await shared)?.close());
    fileEnds.push(() => assert.deepEqual(takeUndeclared(), [], 'an operation responded with an undeclared error'));
  }
  return shared;
}
