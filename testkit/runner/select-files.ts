import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { ImportGraph } from './import-graph.ts';

type Tier = 'fast' | 'full';

/** A file of the full tier says so in its name. */
const tierOf = (file: string): Tier => (file.endsWith('.full.test.ts') ? 'full' : 'fast');

const PATTERNS = ['src', 'test', 'testkit', 'sdk', 'web', 'cli'].map((folder) => `${folder}/**/*.test.ts`);

/** Programs of the machine that test files need, told by the support module that starts them. */
const TOOLS: { name: string; programs: string[]; module: string }[] = [
  {
    name: 'Chromium',
    programs: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    module: 'testkit/browser/browser.ts',
  },
  { name: 'git', programs: ['git'], module: 'testkit/git/repository.ts' },
  { name: 'sshd', programs: ['sshd'], module: 'testkit/git/ssh-host.ts' },
  { name: 'strace', programs: ['strace'], module: 'test/power/system-calls.ts' },
];

export interface SelectOptions {
  tier: Tier;
  /** Files, folders or patterns; all files of the tier if empty. */
  paths: string[];
  /** A commit: files of the full tier that reach what changed since then are added. */
  changedSince?: string;
  shard?: { index: number; count: number };
}

export interface Selection {
  files: string[];
  skipped: { file: string; reason: string }[];
  graph: ImportGraph;
}

export function selectFiles(root: string, options: SelectOptions, costOf: (file: string) => number): Selection {
  const graph = new ImportGraph(root);
  const all = globSync(PATTERNS, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }).sort();
  let files =
    options.paths.length > 0 ? byPaths(root, options.paths, all) : all.filter((file) => tierOf(file) === options.tier);
  if (options.changedSince !== undefined) {
    const changed = changedFiles(root, options.changedSince).flatMap((file) => graph.standIns(file));
    const reaches = (file: string) => {
      const reached = graph.reach(file);
      return changed.some((each) => reached.has(each));
    };
    files = [...new Set([...files, ...all.filter((file) => tierOf(file) === 'full' && reaches(file))])];
  }
  if (options.shard) files = shardOf(files, options.shard, costOf);
  const missing = TOOLS.filter(
    ({ name, programs }) => !(name === 'Chromium' && process.env.CHROMIUM_PATH) && !programs.some(onPath),
  );
  const skipped = files.flatMap((file) => {
    const tool = missing.find(({ module }) => graph.reach(file).has(module));
    return tool ? [{ file, reason: `needs ${tool.name}` }] : [];
  });
  const isSkipped = new Set(skipped.map(({ file }) => file));
  return { files: files.filter((file) => !isSkipped.has(file)), skipped, graph };
}

function byPaths(root: string, paths: string[], all: string[]): string[] {
  return paths.flatMap((path) => {
    const fromRoot = relative(root, join(process.cwd(), path));
    if (/\.ts$/.test(fromRoot) && existsSync(join(root, fromRoot))) return [fromRoot];
    const found = existsSync(join(root, fromRoot))
      ? all.filter((file) => file.startsWith(`${fromRoot}/`))
      : all.filter((file) => file.includes(path));
    if (found.length === 0) throw new Error(`No test file matches ${path}.`);
    return found;
  });
}

function changedFiles(root: string, since: string): string[] {
  const list = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
    return stdout.split('\n').filter(Boolean);
  };
  return [...list('diff', '--name-only', since), ...list('ls-files', '--others', '--exclude-standard')];
}

/** The same files in every run of a shard, with shards of equal recorded cost: the dearest first, each to the cheapest shard so far. */
function shardOf(
  files: string[],
  { index, count }: { index: number; count: number },
  costOf: (file: string) => number,
): string[] {
  const shards = Array.from({ length: count }, () => ({ cost: 0, files: [] as string[] }));
  for (const file of files.toSorted((a, b) => costOf(b) - costOf(a))) {
    const cheapest = shards.reduce((least, each) => (each.cost < least.cost ? each : least));
    cheapest.cost += costOf(file);
    cheapest.files.push(file);
  }
  return shards[index - 1]?.files ?? [];
}

function onPath(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Seconds per file as last recorded (`--record`), to put dear files first, to shard and to tell the time left. */
export function readCosts(root: string): Record<string, number> {
  return JSON.parse(readFileSync(join(root, 'testkit/runner/costs.json'), 'utf8')) as Record<string, number>;
}
