import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { need } from '#testkit/runner/need.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = ['dist', 'dist-test', 'web/dist', 'cli/dist'];

before(() => need('builds'));

test('nothing that is built names the folder it was built in', () => {
  const files = BUILT.flatMap((folder) => globSync(`${folder}/**`, { cwd: ROOT })).filter((file) =>
    statSync(join(ROOT, file)).isFile(),
  );
  assert.ok(files.length > 20, `${files.length} files are built`);
  assert.deepEqual(
    files.filter((file) => readFileSync(join(ROOT, file)).includes(ROOT)),
    [],
  );
});

test('a build refuses to start on the migrations of another version, and doctor says so', (t) => {
  const checkout = copyCheckout(t);
  const doctor = () => run(checkout, 'doctor', '--json').stdout;
  const buildOf = (json: string) => JSON.parse(json).findings.find(({ name }: { name: string }) => name === 'build');
  assert.equal(buildOf(doctor()).state, 'ok', 'a copy of a checkout runs elsewhere');

  writeFileSync(join(checkout, 'migrations/9999_of_another_version.sql'), 'select 1;');
  const { status, stderr } = run(checkout);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^The service was built from another version .* `node scripts\/setup\.mjs`, then start again\.$/m,
  );
  assert.doesNotMatch(stderr, /^\s+at /m);
  assert.equal(buildOf(doctor()).state, 'fault');
});

/** What a build reads when it starts, at another place than where it was built. */
function copyCheckout(t: TestContext): string {
  const checkout = mkdtempSync(join(tmpdir(), 'siteyard-checkout-'));
  t.after(() => rmSync(checkout, { recursive: true, force: true }));
  for (const path of ['dist', 'migrations', 'package.json'])
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

function run(checkout: string, ...args: string[]) {
  return spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(checkout, 'dist/main.js'), ...args],
    {
      cwd: checkout,
      env: { PATH: process.env.PATH, DATA_DIR: join(checkout, 'data') },
      encoding: 'utf8',
    },
  );
}
