/** What all workers of a run share and only some files need (resources.ts). */
export type ResourceName = 'postgres' | 'wordpress' | 'fpm' | 'builds';

/** What a worker process sends to the runner. Results of a file may still arrive after the worker has asked for the next one. */
export type WorkerMessage =
  | { type: 'next' }
  | { type: 'need'; resource: ResourceName }
  | { type: 'test'; file: string; result: TestResult }
  | { type: 'fileEnded'; file: string }
  | { type: 'fileCost'; file: string; cpuSeconds: number }
  | { type: 'stray'; file: string | undefined; error: string }
  | { type: 'leftOpen'; files: string[]; what: string };

/** What the runner sends to a worker process. */
export type RunnerMessage =
  | { type: 'file'; file: string | undefined }
  | { type: 'resource'; resource: ResourceName; env?: Record<string, string>; error?: string };

export interface TestResult {
  /** Names of the enclosing suites and of the test, the file's own left out. */
  path: string[];
  outcome: 'passed' | 'failed' | 'skipped';
  durationMs: number;
  /** The error with its stack, or the reason why the test was skipped. */
  reason?: string;
}

/** A test that a filtered run adds to each file: node:test runs no hook of a file in which no test matches, and the worker would wait for its end. */
export const END_OF_FILE = 'end of a filtered file';
