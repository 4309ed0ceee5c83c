/**
 * Mutation check: breaks one line of product code at a time and runs the tests that reach it, those nearest to it first, until one fails. It
 * works on a copy of HEAD and prints a row per mutant.
 *
 *     npm run mutate -- --count 40 --seed 1 [--only 7,12] [--tier fast|full] [--list]
 */
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '#testkit/random.ts';
import { ImportGraph } from '#testkit/runner/import-graph.ts';

interface Mutant {
  file: string;
  line: number;
  before: string;
  after: string;
}

/** What a mutant does to a line. The first one that applies at a place chosen at random is taken. */
const OPERATORS: [pattern: RegExp, replacement: string][] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ <= /, ' < '],
  [/ >= /, ' > '],
  [/ < (?=[\w(])/, ' >= '],
  [/ > (?=[\w(])/, ' <= '],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\bif \(!/, 'if ('],
  [/\bif \((?!!)/, 'if (!('],
  [/ \+ 1\b/, ''],
  [/ - 1\b/, ''],
  [/ \?\? [^,;)\]}]+/, ''],
  [/\.filter\(/, '.map('],
  [/\.some\(/, '.every('],
  [/\.every\(/, '.some('],
  [/\breturn undefined;/, 'return {} as never;'],
  [/^(\s*)await (?=[\w.#]+\(.*\);$)/, '$1void '],
  [/^(\s*)(?:this\.|[a-z]\w*\.)[\w.#]+\(.*\);$/, '$1;'],
  [/^(\s*)throw [^;]*;$/, '$1;'],
];

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    tier: { type: 'string', default: 'fast' },
    list: { type: 'boolean', default: false },
  },
});
const isFull = values.tier === 'full';
const mutants = drawMutants(Number(values.count), new Random(Number(values.seed)));
if (values.list) listMutants();
const only = values.only?.split(',').map(Number);

const copy = mkdtempSync(join(tmpdir(), 'siteyard-mutate-'));
process.on('SIGINT', () => process.exit(130));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
copyHead();
const graph = new ImportGraph(copy);
const tests = globSync('{src,test,testkit,sdk,web,cli}/**/*.test.ts', { cwd: copy, exclude: ['**/node_modules/**'] });

let caught = 0;
let tried = 0;
for (const [index, mutant] of mutants.entries()) {
  const number = index + 1;
  if (only && !only.includes(number)) continue;
  tried += 1;
  const startedAt = performance.now();
  const killer = await findKiller(mutant);
  if (killer) caught += 1;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${number}. ${describe(mutant)}\n   ${killer ? `caught by ${killer}` : 'SURVIVED'} (${seconds} s)`);
}
console.log(`\nSeed ${values.seed}, ${values.tier} tier: ${caught} of ${tried} mutants caught`);

function listMutants(): never {
  for (const [index, mutant] of mutants.entries()) console.log(`${index + 1}. ${describe(mutant)}`);
  process.exit();
}

function describe({ file, line, before, after }: Mutant): string {
  return `${file}:${line}\n   - ${before.trim()}\n   + ${after.trim()}`;
}

function copyHead(): void {
  const { status } = spawnSync('git', ['clone', '-q', root, copy], { stdio: 'inherit' });
  if (status !== 0) throw new Error('git clone failed');
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Lines of product code, each as likely as any other; one that no operator applies to is drawn anew. */
function drawMutants(count: number, random: Random): Mutant[] {
  const files = globSync('{src,cli/src,sdk}/**/*.ts', {
    cwd: root,
    exclude: ['**/dist/**', '**/node_modules/**'],
  }).filter((file) => !/\.test\.ts$|\.d\.ts$|generated|(?:^|\/)gen\//.test(file));
  const lines = files
    .sort()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((text, at) => ({ file, at, text })),
    )
    .filter(({ text }) => isStatement(text));
  const drawn: Mutant[] = [];
  while (drawn.length < count) {
    const { file, at, text } = random.pick(lines);
    const [operator] = random.shuffled(OPERATORS.filter(([pattern]) => pattern.test(text)));
    if (!operator || drawn.some((each) => each.file === file && each.line === at + 1)) continue;
    const [pattern, replacement] = operator;
    let after = text.replace(pattern, replacement);
    if (replacement.endsWith('(!(')) after = closeNegation(after);
    drawn.push({ file, line: at + 1, before: text, after });
  }
  return drawn;
}

function isStatement(text: string): boolean {
  const code = text.trim();
  return code.length > 3 && !/^(?:\/\/|\/?\*|import\b|export (?:type|interface)\b|type\b|interface\b)/.test(code);
}

/** Adds the parenthesis that ends a negated condition. */
function closeNegation(text: string): string {
  let depth = 0;
  for (let at = text.indexOf('if (!(') + 5; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return `${text.slice(0, at)})${text.slice(at)}`;
  }
  return text;
}

/** The first test file that fails with the mutant; undefined if all pass. */
async function findKiller({ file, line, after }: Mutant): Promise<string | undefined> {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  const lines = original.split('\n');
  lines[line - 1] = after;
  writeFileSync(path, lines.join('\n'));
  try {
    const reaching = tests.filter((test) => (isFull || !test.endsWith('.full.test.ts')) && graph.reach(test).has(file));
    const isNear = (test: string) => dirname(test) === dirname(file);
    for (const ring of [reaching.filter(isNear), reaching.filter((test) => !isNear(test))]) {
      const killer = ring.length > 0 ? await firstFailure(ring) : undefined;
      if (killer) return killer;
    }
    return undefined;
  } finally {
    writeFileSync(path, original);
  }
}

async function firstFailure(files: string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(copy, 'scripts/test.mjs'), '--bail', ...files], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code === 0) return undefined;
  return (
    /^✖ (?:\d+\/\d+ )?(\S+\.test\.ts(?: >.*)?)/m.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? 'a crash'
  );
}
