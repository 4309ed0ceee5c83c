import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { ImportGraph } from './import-graph.ts';
import { selectFiles } from './select-files.ts';

const root = join(import.meta.dirname, '../..');

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const files = args.map((arg) => (arg.startsWith('-') ? arg : `testkit/runner/fixtures/${arg}.ts`));
  const { CI: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'testkit/runner/main.ts', ...files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

suite('the exit code and the report of a run', () => {
  test('say that all tests passed and which were skipped', async () => {
    const { code, output } = await run('passes');
    assert.equal(code, 0, output);
    assert.match(output, /^1 passed, 0 failed, 1 skipped$/m);
    assert.match(output, /passes\.ts: a reason \(1 tests\)/);
  });

  test('name a failed test with its reason and the command that repeats it, and other files still run', async () => {
    const { code, output } = await run('fails', 'passes', '--workers=1');
    assert.equal(code, 1);
    assert.match(output, /✖ testkit\/runner\/fixtures\/fails\.ts > a suite > fails\n.*one is not two/);
    assert.match(output, /Repeat: npm test -- testkit\/runner\/fixtures\/fails\.ts --grep 'fails'/);
    assert.match(output, /^2 passed, 1 failed, 1 skipped$/m);
  });

  test('say that nothing ran where --grep matches no test of a file', async () => {
    const { code, output } = await run('passes', 'fails', '--workers=1', '--grep=suite fails');
    assert.equal(code, 1);
    assert.match(output, /passes\.ts \(0 tests/);
    assert.match(output, /^0 passed, 1 failed, 0 skipped$/m);
  });

  test('leave out the files after the first failure with --bail', async () => {
    const { code, output } = await run('fails', 'passes', '--workers=1', '--bail');
    assert.equal(code, 1);
    assert.match(output, /✖ testkit\/runner\/fixtures\/fails\.ts > a suite > fails\n.*one is not two/);
    assert.match(output, /files not run/);
    assert.doesNotMatch(output, /✔ .*passes\.ts/);
  });

  test('name a file that crashes its worker, and the next files run in another one', async () => {
    const { code, output } = await run('crashes', 'passes', '--workers=1');
    assert.equal(code, 1);
    assert.match(output, /crashes\.ts: The worker ended \(SIGKILL\) while it ran this file\./);
    assert.match(output, /^1 passed, 1 failed, 1 skipped$/m);
  });

  test('name a file with an error outside of its tests', async () => {
    const { code, output } = await run('strays');
    assert.equal(code, 1);
    assert.match(output, /strays\.ts: Error outside of any test: Error: a stray error/);
  });

  test('name a file that cannot be loaded', async () => {
    const { code, output } = await run('cannot-load');
    assert.equal(code, 1);
    assert.match(output, /✖ testkit\/runner\/fixtures\/cannot-load\.ts\n.*this file cannot be loaded/);
  });
});

suite('the files of a run', () => {
  const everyFile = (tier: 'fast' | 'full') => selectFiles(root, { tier, paths: [] }, () => 1).files;

  test('are those of one tier, so that no file runs in both', () => {
    const [fast, full] = [everyFile('fast'), everyFile('full')];
    assert.ok(fast.length > 100 && full.length > 50);
    assert.deepEqual(
      fast.filter((file) => full.includes(file)),
      [],
    );
  });

  test('are in exactly one shard', () => {
    const shards = [1, 2, 3].map(
      (index) =>
        selectFiles(root, { tier: 'full', paths: [], shard: { index, count: 3 } }, (file) => file.length).files,
    );
    assert.deepEqual(shards.flat().sort(), everyFile('full').sort());
    assert.ok(shards.every(({ length }) => length > 10));
  });

  test('reach what they import, what a build is made of, and programs that are started by path', () => {
    const graph = new ImportGraph(root);
    assert.ok(graph.reach('src/core/http/body.test.ts').has('src/core/http/body.ts'));
    assert.ok(!graph.reach('src/core/http/body.test.ts').has('src/platform.ts'));
    assert.ok(graph.reach('test/smoke/kill.test.ts').has('src/core/http/body.ts'), 'by way of the built service');
    assert.ok(graph.reach('src/timemachine/restore/kill.test.ts').has('testkit/snapshots/restore-process.ts'));
  });

  test('that stand for a file without importers are its nearest sources', () => {
    const graph = new ImportGraph(root);
    assert.deepEqual(graph.standIns('src/core/http/body.ts'), ['src/core/http/body.ts']);
    const [nearest] = graph.standIns('src/runtimes/wordpress/plugin/siteyard.php');
    assert.match(nearest ?? '', /^src\/runtimes\/wordpress\//);
  });
});
