import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'vite';
import type { LaneWork } from '../test/lane.ts';
import { programsConfig } from './programs.vite.ts';

/** Runs the tests, all of them or the files given as arguments, and leaves nothing running and no file behind. */

const PATTERNS = ['src', 'test', 'sdk', 'web'].map((folder) => `${folder}/**/*.test.ts`);
const GRACE_MS = 15_000;
// A test file waits about half of its time: for PHP, for a page, for the clock. LANES=1 shows what a file leaves to the next.
const LANES = Number(process.env.LANES ?? Math.min(availableParallelism() + 1, 6));
const wanted = process.argv.slice(2);
// A file that hangs ends as a failure and not as a run without an end. Whoever names files may have asked for a long form.
const FILE_LIMIT_MS = wanted.length > 0 ? 3_600_000 : 600_000;
const FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--test',
  '--test-global-setup=test/global-setup.ts',
  `--test-concurrency=${LANES}`,
];
// A file that fails beside others is run once more at the end, alone. More than a few have a reason of their own.
const RUN_AGAIN = 5;
const DEAREST = 40;

const root = join(import.meta.dirname, '..');
const exclude = ['**/node_modules/**', 'web/dist/**'];
const files = globSync(wanted.length > 0 ? wanted : PATTERNS, { cwd: root, exclude })
  .sort()
  .sort((a, b) => weight(b) - weight(a));
if (files.length === 0) {
  console.error(`There is no test file that matches ${wanted.join(' ') || PATTERNS.join(' ')}.`);
  process.exit(1);
}

// Every temporary file of the run lands here, and every process of it can be told by this name.
const runDir = mkdtempSync(join(tmpdir(), 'siteyard-test-'));
// Postgres runs as another user when we are root, and must be able to pass.
chmodSync(runDir, 0o711);

// Beside the packages, where they find those. Always made anew, so that a test runs what its author just wrote.
const programs = join(root, 'node_modules/.cache', basename(runDir));
await build({ ...programsConfig(programs), configFile: false, logLevel: 'warn' });

let runner: ReturnType<typeof spawn> | undefined;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true;
    // On either of these the runner ends its files and stops the database in order.
    runner?.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    setTimeout(() => runner?.kill('SIGKILL'), GRACE_MS).unref();
  });
}

const first = await run('first', files);
printCosts(first.costs);
process.exitCode = first.code;
const canRunAgain = first.failed.length > 0 && first.failed.length <= RUN_AGAIN && first.failed.every(isFile);
if (canRunAgain && !stopped && wanted.length === 0) {
  console.error(`\nFailed, and run once more alone: ${first.failed.join(', ')}`);
  const second = await run('second', first.failed);
  process.exitCode = second.code;
  if (second.code === 0) console.error(`\nUNSTEADY, passed only the second time: ${first.failed.join(', ')}`);
}
for (const folder of [runDir, programs])
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/** One run of the given files, in as many lanes as there are: its exit code, what failed in it, and what each file cost. */
async function run(name: string, files: string[]): Promise<{ code: number; failed: string[]; costs: string }> {
  const folder = join(runDir, name);
  const taken = join(folder, 'taken');
  mkdirSync(taken, { recursive: true });
  const [faults, failed, leavers, costs] = ['faults', 'failed', 'leavers', 'costs'].map((part) =>
    join(folder, part),
  ) as [string, string, string, string];
  const work: LaneWork = { files, taken, faults, leavers, costs, fileLimitMs: FILE_LIMIT_MS };
  const lanes = Array.from({ length: name === 'first' ? Math.min(LANES, files.length) : 1 }, (_, number) =>
    join(folder, `lane-${number + 1}.mjs`),
  );
  for (const lane of lanes)
    writeFileSync(lane, `import { runLane } from '${root}/test/lane.ts';\nawait runLane(${JSON.stringify(work)});\n`);

  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/failed-files.ts',
    `--test-reporter-destination=${failed}`,
  ];
  runner = spawn(process.execPath, [...FLAGS, ...reporters, ...lanes], {
    cwd: root,
    env: {
      ...process.env,
      TMPDIR: runDir,
      // Every lane loads the whole service, and compiling that is half of the time it takes.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      SITEYARD_PROGRAMS: programs,
    },
    stdio: 'inherit',
    // In a group of its own, so that Ctrl-C reaches it once, through us, and its children can be ended with it.
    detached: true,
  });
  const [code, signal] = (await once(runner, 'exit')) as [number | null, NodeJS.Signals | null];
  if (existsSync(faults)) console.error(`\nWhat failed beside the tests:\n${readFileSync(faults, 'utf8')}`);
  killLeftovers();
  // A lane that could not end has failed because of a file: which one, it has said.
  const left = linesOf(leavers);
  const names = new Set([...linesOf(failed).filter((name) => left.length === 0 || !lanes.includes(name)), ...left]);
  return { code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], failed: [...names], costs };
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

function isFile(name: string): boolean {
  return files.includes(name);
}

/** Where a whole run's time goes, so that whoever shortens it does not guess. */
function printCosts(file: string): void {
  const costs = linesOf(file).map((line) => line.split('\t') as [string, string]);
  if (costs.length <= 1) return;
  const sum = costs.reduce((seconds, [own]) => seconds + Number(own), 0);
  console.log(`\nSeconds of processor, ${sum.toFixed(0)} for ${costs.length} files, the dearest:`);
  for (const [own, name] of costs.sort((a, b) => Number(b[0]) - Number(a[0])).slice(0, DEAREST))
    console.log(`${own.padStart(7)}  ${name}`);
}

/** Files that take long come first, so that no lane is left alone with one in the end. */
function weight(file: string): number {
  if (/openBrowser|runtime: 'php|openTestRuntime|openFpm/.test(readFileSync(join(root, file), 'utf8'))) return 2;
  return file.startsWith('test/') ? 1 : 0;
}

/** Whatever still names the run's directory in its environment or its arguments was started by a test. */
function killLeftovers(): void {
  // Only Linux has it, and only there the tests start a Postgres.
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number) : [];
  for (const pid of pids) {
    if (!pid || pid === process.pid) continue;
    try {
      const [command, environment] = ['cmdline', 'environ'].map((part) => readFileSync(`/proc/${pid}/${part}`, 'utf8'));
      if (!command?.includes(runDir) && !environment?.includes(runDir)) continue;
      console.error(`A test left process ${pid} running: ${command?.replaceAll('\0', ' ')}`);
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
}
