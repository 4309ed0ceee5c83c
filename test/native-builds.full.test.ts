import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { spawnService } from '#testkit/app/service-process.ts';
import { lackingBuilds } from '../scripts/native-builds.mjs';

const MACHINES = ['x64', 'arm64'];
const BUILDS = { 'fast-linux-x64-gnu': '1.0.0', 'fast-linux-arm64-gnu': '1.0.0', 'fast-linux-arm64-musl': '1.0.0' };
const lockWith = (...places: string[]) => ({
  packages: {
    '': {},
    'node_modules/tool': {},
    'node_modules/tool/node_modules/fast': { version: '1.0.0', optionalDependencies: BUILDS },
    ...Object.fromEntries(places.map((place) => [place, {}])),
  },
});
const lacking = { name: 'fast', version: '1.0.0', machine: 'arm64', isDev: false };

test('a package whose build for one of our machines is not locked is named', () => {
  assert.deepEqual(lackingBuilds(lockWith('node_modules/fast-linux-x64-gnu'), MACHINES), [lacking]);
  const musl = lockWith('node_modules/fast-linux-x64-gnu', 'node_modules/fast-linux-arm64-musl');
  assert.deepEqual(lackingBuilds(musl, MACHINES), [lacking]);
});

test('a build counts where Node would find it, and nowhere else', () => {
  const x64 = 'node_modules/fast-linux-x64-gnu';
  for (const place of [
    'node_modules',
    'node_modules/tool/node_modules',
    'node_modules/tool/node_modules/fast/node_modules',
  ])
    assert.deepEqual(lackingBuilds(lockWith(x64, `${place}/fast-linux-arm64-gnu`), MACHINES), []);
  const beside = lockWith(x64, 'node_modules/other/node_modules/fast-linux-arm64-gnu');
  assert.deepEqual(lackingBuilds(beside, MACHINES), [lacking]);
});

test('of what is locked, a build that did not come is named', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  assert.deepEqual(lackingBuilds(lock, MACHINES), []);
  const found = lackingBuilds(lock, ['arm64'], (place) => !place.endsWith('argon2-linux-arm64-gnu'));
  assert.deepEqual(
    found.map(({ name }) => name),
    ['@node-rs/argon2'],
  );
});

test('a native part that does not load ends the start with one sentence that names it and the machine', async () => {
  const breakArgon = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => url.includes('/@node-rs/argon2/')
      ? { format: 'commonjs', shortCircuit: true, source: 'exports.hash = exports.verify = null; throw new Error("no luck", { cause: new Error("no such build") })' }
      : next(url, context) });`;
  const service = spawnService({}, ['--import', `data:text/javascript,${encodeURIComponent(breakArgon)}`]);
  assert.equal(await service.exited, 1);
  const { platform, arch, versions } = process;
  assert.match(
    service.output().trim(),
    /^The package @node-rs\/argon2 does not load on this machine \([^\n]+\): no such build$/,
  );
  assert.ok(service.output().includes(`(${platform}-${arch}, `) && service.output().includes(`Node ${versions.node})`));
});
