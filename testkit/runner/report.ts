import { type FileReport, writeJunit } from './junit.ts';
import type { TestResult } from './messages.ts';

const SLOWEST = 10;
const MAX_OUTPUT_LENGTH = 20_000;

export interface FinishedFile extends FileReport {
  cpuSeconds: number;
  /** What went wrong outside of any test: a crash, a stray error, a limit. */
  problems: string[];
  output: string;
}

/** Prints progress while files finish and a summary at the end. */
export class Report {
  readonly #startedAt = performance.now();
  readonly #totalCost: number;
  readonly #costOf: (file: string) => number;
  readonly #fileCount: number;
  readonly #finished = new Map<string, FinishedFile>();
  readonly #problems: string[] = [];
  readonly #onFailure: (() => void) | undefined;

  constructor(files: readonly string[], costOf: (file: string) => number, onFailure?: () => void) {
    this.#onFailure = onFailure;
    this.#fileCount = files.length;
    this.#costOf = costOf;
    this.#totalCost = files.reduce((sum, file) => sum + costOf(file), 0);
  }

  get hasFailures(): boolean {
    return this.#problems.length > 0 || this.#finished.size < this.#fileCount || this.failedFiles.length > 0;
  }

  get failedFiles(): string[] {
    return [...this.#finished.values()].filter(isFailed).map(({ file }) => file);
  }

  get costs(): Record<string, number> {
    const entries = [...this.#finished.values()].map(
      ({ file, durationMs }) => [file, Number((durationMs / 1000).toFixed(1))] as const,
    );
    return Object.fromEntries(entries);
  }

  /** A failure is shown at once, with the command that repeats it. */
  testFailed(file: string, { path, reason = '' }: TestResult): void {
    const name = path.at(-1);
    const repeat = `npm test -- ${file}${name === undefined ? '' : ` --grep ${quote(name)}`}`;
    console.log(`\n✖ ${[file, ...path].join(' > ')}\n${indent(reason)}\n  Repeat: ${repeat}\n`);
    this.#onFailure?.();
  }

  fileFinished(finished: FinishedFile): void {
    this.#finished.set(finished.file, finished);
    const { file, results, durationMs, problems, output } = finished;
    const mark = isFailed(finished) ? '✖' : '✔';
    const progress = `${String(this.#finished.size).padStart(String(this.#fileCount).length)}/${this.#fileCount}`;
    const skipped = results.filter(({ outcome }) => outcome === 'skipped').length;
    const tests = `${results.length - skipped} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`${mark} ${progress} ${file} (${tests}, ${seconds(durationMs)})${this.#timeLeft()}`);
    for (const problem of problems) console.log(`\n✖ ${file}\n${indent(problem)}\n  Repeat: npm test -- ${file}\n`);
    const shown = output.length > MAX_OUTPUT_LENGTH ? `…${output.slice(-MAX_OUTPUT_LENGTH)}` : output;
    if (shown.trim() !== '') console.log(indent(shown.trimEnd()));
    if (problems.length > 0) this.#onFailure?.();
  }

  /** A failure of the run itself or of a worker that cannot be traced to one file. */
  runFailed(problem: string): void {
    this.#problems.push(problem);
    console.log(`\n✖ ${problem}\n`);
    this.#onFailure?.();
  }

  summarize(skippedFiles: readonly { file: string; reason: string }[]): void {
    const files = [...this.#finished.values()];
    const results = files.flatMap(({ file, results }) => results.map((result) => ({ file, ...result })));
    const count = (wanted: TestResult['outcome']) => results.filter(({ outcome }) => outcome === wanted).length;
    if (files.length > 1) {
      console.log('\nSlowest files (seconds, processor seconds of the worker and of its ended children):');
      for (const { file, durationMs, cpuSeconds } of files
        .toSorted((a, b) => b.durationMs - a.durationMs)
        .slice(0, SLOWEST))
        console.log(`${seconds(durationMs).padStart(9)} ${cpuSeconds.toFixed(1).padStart(7)}  ${file}`);
    }
    this.#summarizeSkipped(skippedFiles, results);
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    if (this.hasFailures) {
      console.log('\nFailed:');
      for (const { file, path } of failed) console.log(`  ${[file, ...path].join(' > ')}`);
      for (const { file, problems } of files)
        for (const problem of problems) console.log(`  ${file}: ${firstLine(problem)}`);
      for (const problem of this.#problems) console.log(`  ${firstLine(problem)}`);
    }
    const notRun = this.#fileCount - files.length;
    const cpu = files.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    console.log(
      `\n${files.length} files in ${minutes(performance.now() - this.#startedAt)}, ${cpu.toFixed(0)} s of processor time` +
        `${notRun > 0 ? `, ${notRun} files not run` : ''}`,
    );
    const problems = this.#problems.length + files.reduce((sum, file) => sum + file.problems.length, 0);
    console.log(`${count('passed')} passed, ${failed.length + problems} failed, ${count('skipped')} skipped`);
  }

  writeJunit(path: string): void {
    const withProblems = [...this.#finished.values()].map(({ problems, ...report }) => ({
      ...report,
      results: [
        ...report.results,
        ...problems.map((reason) => ({ path: ['the file itself'], outcome: 'failed' as const, durationMs: 0, reason })),
      ],
    }));
    writeJunit(path, withProblems);
    console.log(`JUnit XML: ${path}`);
  }

  #summarizeSkipped(
    files: readonly { file: string; reason: string }[],
    results: ({ file: string } & TestResult)[],
  ): void {
    const skipped = results.filter(({ outcome }) => outcome === 'skipped');
    if (files.length + skipped.length === 0) return;
    console.log('\nSkipped:');
    for (const { file, reason } of files) console.log(`  ${file}: ${reason}`);
    const byReason = Map.groupBy(skipped, ({ file, reason }) => `${file}: ${reason}`);
    for (const [reason, tests] of byReason) console.log(`  ${reason} (${tests.length} tests)`);
  }

  /** Told by the recorded costs of what is left, at the pace so far. */
  #timeLeft(): string {
    const done = [...this.#finished.keys()].reduce((sum, file) => sum + this.#costOf(file), 0);
    if (this.#finished.size === this.#fileCount || done === 0) return '';
    const elapsed = performance.now() - this.#startedAt;
    return `, about ${minutes((elapsed / done) * (this.#totalCost - done))} left`;
  }
}

const isFailed = ({ results, problems }: FinishedFile) =>
  problems.length > 0 || results.some(({ outcome }) => outcome === 'failed');
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const firstLine = (text: string) => text.split('\n')[0] ?? '';
const indent = (text: string) => text.replaceAll(/^/gm, '  ');
/** For a shell, and as the pattern of node:test, where a plain string may hold no special characters of a regular expression. */
const quote = (name: string) => `'${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", '.')}'`;

function minutes(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}
