import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { END_OF_FILE, type TestResult, type WorkerMessage } from './messages.ts';

/** A failed suite repeats the failures of its tests; these two say that it has nothing of its own to report. */
const REPEATED = new Set(['subtestsFailed', 'cancelledByParent']);
const MAX_REASON_LENGTH = 20_000;

/** A reporter of node:test that sends each result to the runner as soon as it is known (main.ts). */
export default async function* sendResults(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      path.length = data.nesting;
      path[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const passed = type === 'test:pass';
    const { name, nesting, details, skip } = data;
    path.length = nesting;
    const error = passed ? undefined : (details as FailureDetails).error;
    const isRepeated = error !== undefined && REPEATED.has(String(error.failureType));
    const isSuite = details.type === 'suite';
    if (!isRepeated && name !== END_OF_FILE && (!isSuite || !passed || skip !== undefined)) {
      const result: TestResult = {
        path: [...path, name].slice(1),
        outcome: !passed ? 'failed' : skip === undefined ? 'passed' : 'skipped',
        durationMs: details.duration_ms,
        ...(error && { reason: describe(error) }),
        ...(skip !== undefined && { reason: typeof skip === 'string' ? skip : 'skipped' }),
      };
      send({ type: 'test', file: [...path, name][0] as string, result });
    }
    if (nesting === 0) send({ type: 'fileEnded', file: name });
  }
  // Nothing is printed: the runner does that.
  yield '';
}

interface FailureDetails {
  error: Error & { failureType?: unknown; cause?: unknown };
}

function describe(error: FailureDetails['error']): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return inspect(cause, { depth: 6 }).slice(0, MAX_REASON_LENGTH);
}

function send(message: WorkerMessage): void {
  process.send?.(message);
}
