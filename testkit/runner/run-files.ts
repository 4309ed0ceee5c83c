import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { END_OF_FILE, type ResourceName, type RunnerMessage, type TestResult, type WorkerMessage } from './messages.ts';
import type { Report } from './report.ts';
import { resources } from './resources.ts';

export interface RunOptions {
  root: string;
  /** In the order in which workers take them. */
  files: readonly string[];
  workerCount: number;
  fileLimitMs: number;
  needsOwnProcess(file: string): boolean;
  /** Resources that a file needs before it starts; all others it asks for itself. */
  resourcesOf(file: string): ResourceName[];
  grep?: string;
  env: NodeJS.ProcessEnv;
  report: Report;
}

/** How long beyond its limit a file may take before its worker is killed: its own timeout has to fail first. */
const KILL_GRACE_MS = 30_000;
const REPORTER = join(import.meta.dirname, 'reporter.ts');
const WORKER = join(import.meta.dirname, 'worker.ts');

interface RunningFile {
  file: string;
  startedAt: number;
  results: TestResult[];
  problems: string[];
  output: string;
  killTimer: NodeJS.Timeout;
  /** A file is finished when the worker has sent its cost and the reporter its last result, in either order. */
  cpuSeconds?: number;
  hasEnded?: boolean;
}

/** Runs files in worker processes. A file that crashes its worker fails, and a fresh worker goes on with the next file. */
export class FileRun {
  readonly #options: RunOptions;
  readonly #waiting: string[];
  readonly #children = new Set<ChildProcess>();
  #isStopped = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#waiting = [...options.files];
  }

  async run(): Promise<void> {
    const count = Math.min(this.#options.workerCount, this.#waiting.length);
    await Promise.all(Array.from({ length: count }, () => this.#work()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runWorker();
  }

  /** Ends when the worker has; a crash leaves the rest of the files to the next one. */
  #runWorker(): Promise<void> {
    const { report, root, grep } = this.#options;
    const child = fork(WORKER, [], {
      cwd: root,
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        `--test-reporter=${REPORTER}`,
        '--test-reporter-destination=stdout',
        ...(grep === undefined ? [] : [`--test-name-pattern=${grep}`, `--test-name-pattern=${END_OF_FILE}`]),
      ],
      env: { ...this.#options.env, SITEYARD_TEST_FILE_LIMIT_MS: String(this.#options.fileLimitMs) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // In a group of its own, so that Ctrl-C reaches it through the runner alone.
      detached: true,
    });
    this.#children.add(child);
    const open = new Map<string, RunningFile>();
    const filesRun: string[] = [];
    let looseOutput = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const current = [...open.values()].at(-1);
        if (current) current.output += text;
        else looseOutput += text;
      });

    const finish = (running: RunningFile) => {
      const { file, startedAt, results, problems, output, cpuSeconds = 0 } = running;
      clearTimeout(running.killTimer);
      open.delete(file);
      report.fileFinished({ file, results, problems, output, cpuSeconds, durationMs: performance.now() - startedAt });
    };
    const update = (file: string, change: Partial<RunningFile>) => {
      const running = open.get(file);
      if (!running) return;
      Object.assign(running, change);
      if (running.hasEnded && running.cpuSeconds !== undefined) finish(running);
    };
    const give = (message: RunnerMessage) => void child.send(message, () => {});
    const handlers: { [Type in WorkerMessage['type']]: (message: Extract<WorkerMessage, { type: Type }>) => void } = {
      next: () => {
        const file = this.#next(filesRun);
        if (file === undefined) return give({ type: 'file', file });
        filesRun.push(file);
        void this.#prepare(file).then((problem) => {
          const running = this.#begin(file, child);
          if (problem) running.problems.push(problem);
          open.set(file, running);
          give({ type: 'file', file });
        });
      },
      need: ({ resource }) =>
        void resources.start(resource).then(
          ({ env = {} }) => give({ type: 'resource', resource, env }),
          (error: unknown) => give({ type: 'resource', resource, error: String((error as Error).stack ?? error) }),
        ),
      test: ({ file, result }) => {
        open.get(file)?.results.push(result);
        if (result.outcome === 'failed') report.testFailed(file, result);
      },
      fileEnded: ({ file }) => update(file, { hasEnded: true }),
      fileCost: ({ file, cpuSeconds }) => update(file, { cpuSeconds }),
      stray: ({ file, error }) => {
        const running = file === undefined ? undefined : open.get(file);
        if (running) running.problems.push(`Error outside of any test: ${error}`);
        else report.runFailed(`Error outside of any test, ${file ?? 'between files'}: ${error}`);
      },
      leftOpen: ({ files, what }) =>
        report.runFailed(
          `A worker could not end: ${what} left open, most likely by ${files.join(', ') || 'what files share'}`,
        ),
    };
    child.on('message', (message: WorkerMessage) => handlers[message.type](message as never));
    return new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#children.delete(child);
        if (this.#isStopped) for (const { killTimer } of open.values()) clearTimeout(killTimer);
        else this.#workerEnded(signal ?? code ?? 0, [...open.values()], finish, looseOutput);
        resolve();
      });
    });
  }

  /** Starts what a file needs; the problem if that failed. */
  async #prepare(file: string): Promise<string | undefined> {
    try {
      for (const resource of this.#options.resourcesOf(file)) await resources.start(resource);
      return undefined;
    } catch (error) {
      return `What it needs could not be prepared: ${(error as Error).stack ?? error}`;
    }
  }

  /** The next file for a worker; none if that worker has to end first, since a file needs a process of its own. */
  #next(filesRun: readonly string[]): string | undefined {
    const { needsOwnProcess } = this.#options;
    const [next] = this.#waiting;
    if (next === undefined || filesRun.some(needsOwnProcess) || (filesRun.length > 0 && needsOwnProcess(next)))
      return undefined;
    return this.#waiting.shift();
  }

  #workerEnded(
    end: NodeJS.Signals | number,
    open: RunningFile[],
    finish: (running: RunningFile) => void,
    output: string,
  ): void {
    for (const running of open) {
      if (!running.hasEnded) running.problems.push(`The worker ended (${end}) while it ran this file.`);
      finish(running);
    }
    if (open.length === 0 && typeof end === 'string')
      this.#options.report.runFailed(`A worker was ended by ${end}.\n${output}`);
  }

  #begin(file: string, child: ChildProcess): RunningFile {
    const { fileLimitMs } = this.#options;
    const running: RunningFile = {
      file,
      startedAt: performance.now(),
      results: [],
      problems: [],
      output: '',
      killTimer: setTimeout(() => {
        running.problems.push(`It took longer than ${fileLimitMs / 1000} s and did not react to its timeout.`);
        child.kill('SIGKILL');
      }, fileLimitMs + KILL_GRACE_MS),
    };
    return running;
  }
}
