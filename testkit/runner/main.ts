import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ResourceName } from './messages.ts';
import { buildPrograms } from './programs.ts';
import { Report } from './report.ts';
import { resources } from './resources.ts';
import { FileRun } from './run-files.ts';
import { readCosts, type Selection, type SelectOptions, selectFiles } from './select-files.ts';

/** `npm test`: selects test files, runs them in worker processes, and leaves nothing running and no file behind. */
const USAGE = `Usage: npm test -- [options] [path …]

Without a path it runs the fast tier. A path (a file, a folder or a part of a name) runs those files of either tier.

  --full            run the full tier, the files named *.full.test.ts (npm run test:full)
  --changed [ref]   add the files of the full tier that reach a file changed since ref (default: HEAD)
  --grep <pattern>  run only tests whose name matches
  --watch           run again what a changed file affects
  --bail            stop after the first failure
  --shard <i/n>     run one of n parts of equal recorded cost
  --workers <n>     number of worker processes
  --record          write the cost of each file to testkit/runner/costs.json
  --list            print the selected files and run nothing`;

/** Ends a file that hangs; the longest takes two minutes on a quiet machine, and ten times that at a load of 20. */
const FILE_LIMIT_MS = 1_800_000;
const root = join(import.meta.dirname, '../..');
const costs = readCosts(root);
/** A new file counts as an average one. */
const averageCost = Object.values(costs).reduce((sum, cost, _, { length }) => sum + cost / length, 0) || 1;
const costOf = (file: string) => costs[file] ?? averageCost;

const options = readOptions();
const { values } = options;
const selection = select();

// Every temporary file of the run lands here, and its processes are recognized by this name.
const runDir = mkdtempSync(join(tmpdir(), 'siteyard-test-'));
// Postgres and PHP run as other users if we are root, and must be able to enter.
chmodSync(runDir, 0o711);
process.env.TMPDIR = runDir;

let run: FileRun | undefined;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
    run?.stop();
  });

try {
  if (values.list) console.log(selection.files.join('\n'));
  else {
    process.exitCode = await runSelection(selection);
    if (values.watch) await watchSelection(selection);
  }
} finally {
  await resources.stop();
  killLeftovers();
  rmSync(runDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
if (isStopped) process.exitCode = 130;
// A resource that failed to stop must not keep the run from ending.
process.exit();

/** A path that matches nothing is the caller's mistake, and not worth a stack. */
function select(): Selection {
  try {
    return selectFiles(root, options.select, costOf);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

async function runSelection({ files, skipped, graph }: Selection): Promise<number> {
  const report = new Report(files, costOf, values.bail ? () => run?.stop() : undefined);
  const reaches = (module: string) => files.some((file) => graph.reach(file).has(module));
  // Here too: the runner prepares WordPress for the workers.
  if (reaches('src/core/program.ts')) process.env.SITEYARD_PROGRAMS = await buildPrograms(root);
  // Each worker loads the whole service, and compiling that is half of the time it takes.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') };
  run = new FileRun({
    root,
    files: files.toSorted((a, b) => costOf(b) - costOf(a)),
    // A file waits about half of its time: for PHP, for a page, for the clock.
    workerCount: Number(values.workers ?? Math.min(availableParallelism() + 1, 6)),
    fileLimitMs: options.select.paths.length > 0 ? 3_600_000 : FILE_LIMIT_MS,
    resourcesOf: (file) => resourcesBeforeStart(graph.reach(file)),
    // node:test decides about a suite that begins after the first one before its tests are known, so a filtered worker runs one file.
    needsOwnProcess: (file) => values.grep !== undefined || graph.reach(file).has('testkit/runner/own-process.ts'),
    ...(values.grep !== undefined && { grep: values.grep }),
    env,
    report,
  });
  if (!isStopped) await run.run();
  report.summarize(skipped);
  if (process.env.CI) {
    const folder = join(root, 'test-results');
    mkdirSync(folder, { recursive: true });
    report.writeJunit(join(folder, `${values.full ? 'full' : 'fast'}.xml`));
  }
  if (values.record) {
    const sorted = Object.entries({ ...costs, ...report.costs }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(join(root, 'testkit/runner/costs.json'), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  return report.hasFailures ? 1 : 0;
}

/** Resources that a file does not ask for itself, told by the modules that it reaches. */
function resourcesBeforeStart(reached: Set<string>): ResourceName[] {
  const needed: ResourceName[] = [];
  // A service that is started as a process would fetch WordPress itself, and be killed in the middle of it.
  if (reached.has('testkit/app/service-process.ts')) needed.push('wordpress');
  // The dashboard of a browser test is the build, which is stale after a change of web/.
  if (reached.has('testkit/browser/browser.ts')) needed.push('builds');
  return needed;
}

/** Runs until it is interrupted: after each change the selected files that reach a changed one. */
async function watchSelection(selection: Selection): Promise<void> {
  const changed = new Set<string>();
  let wake = () => {};
  for (const folder of ['src', 'test', 'testkit', 'web', 'sdk', 'cli'])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (name === null || /(?:^|\/)(?:dist|node_modules)\//.test(name)) return;
      changed.add(join(folder, name));
      wake();
    });
  while (!isStopped) {
    console.log('\nWaiting for a change. Ctrl-C ends it.');
    await new Promise<void>((resolve) => {
      wake = resolve;
      process.once('SIGINT', () => resolve());
    });
    // An editor writes a file in several steps.
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (isStopped) return;
    const { graph, skipped } = selectFiles(root, options.select, costOf);
    const sources = [...changed].flatMap((file) => graph.standIns(file));
    changed.clear();
    const files = selection.files.filter((file) => sources.some((source) => graph.reach(file).has(source)));
    if (files.length > 0) await runSelection({ files, skipped, graph });
  }
}

function readOptions() {
  const args = process.argv.slice(2);
  // `--changed` may stand without a commit, which parseArgs does not know.
  const at = args.indexOf('--changed');
  if (at >= 0 && (args[at + 1] === undefined || /^-|\/|\.ts$/.test(args[at + 1] as string)))
    args[at] = '--changed=HEAD';
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        changed: { type: 'string' },
        grep: { type: 'string' },
        watch: { type: 'boolean', default: false },
        bail: { type: 'boolean', default: false },
        shard: { type: 'string' },
        workers: { type: 'string' },
        record: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit();
    }
    const select: SelectOptions = {
      tier: values.full ? 'full' : 'fast',
      paths: positionals,
      ...(values.changed !== undefined && { changedSince: values.changed }),
      ...(values.shard !== undefined && { shard: readShard(values.shard) }),
    };
    return { values, select };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function readShard(text: string): { index: number; count: number } {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (!index || !count || Number(index) < 1 || Number(index) > Number(count))
    throw new Error(`--shard is ${text}; it has to be like 1/4.`);
  return { index: Number(index), count: Number(count) };
}

/** A process that still names the run's folder in its arguments or environment was started by a test, unless it is a child of the runner. */
function killLeftovers(): void {
  for (const pid of readdirSync('/proc').map(Number)) {
    if (!pid || pid === process.pid) continue;
    try {
      const [command, environment, stat] = ['cmdline', 'environ', 'stat'].map((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'utf8'),
      ) as [string, string, string];
      if (!command.includes(runDir) && !environment.includes(runDir)) continue;
      const isOurs = Number(stat.split(') ')[1]?.split(' ')[1]) === process.pid;
      if (!isOurs) console.error(`A test left process ${pid} running: ${command.replaceAll('\0', ' ')}`);
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile, or belongs to another user.
    }
  }
}
