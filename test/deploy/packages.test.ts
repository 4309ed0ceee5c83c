import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { completeLock, type PackageLock } from '../../scripts/complete-lock.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the lock lists every optional build that it names, and no registry', () => {
  const lock: PackageLock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  assert.deepEqual(completeLock(lock).added, []);
  for (const [location, { resolved }] of Object.entries(lock.packages)) assert.ok(!resolved?.includes('://'), location);
});

test('completing a lock adds builds for other platforms and never one that the service needs', () => {
  const builds = ['darwin-arm64', 'linux-arm-musleabihf', 'linux-x64', 'openharmony-arm64', 'wasm32-wasi', 'win32-x64'];
  const lock: PackageLock = {
    packages: {
      'node_modules/a': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: Object.fromEntries(builds.map((build) => [`@a/${build}`, '^1.0.0'])),
      },
      'node_modules/a/node_modules/@a/win32-x64': { version: '1.0.0' },
    },
  };
  const { packages } = completeLock(lock).lock;
  const shared = { version: '1.0.0', dev: true, optional: true };
  assert.deepEqual(packages, {
    ...lock.packages,
    'node_modules/@a/darwin-arm64': { ...shared, cpu: ['arm64'], os: ['darwin'] },
    'node_modules/@a/linux-arm-musleabihf': { ...shared, cpu: ['arm'], os: ['linux'], libc: ['musl'] },
    'node_modules/@a/openharmony-arm64': { ...shared, cpu: ['arm64'], os: ['openharmony'] },
    'node_modules/@a/wasm32-wasi': { ...shared, cpu: ['wasm32'] },
  });
});

test('setups that start together install once, and a start keeps the packages of development', async (t) => {
  const folder = makeCheckout(t);
  const outputs = await Promise.all([setUp(folder, '--dev'), setUp(folder, '--dev'), setUp(folder, '--dev')]);
  assert.equal(outputs.join('').match(/installing packages/g)?.length, 1, outputs.join('\n'));
  assert.ok(existsSync(join(folder, 'node_modules/typescript')));

  const stray = join(folder, 'node_modules/stray/index.js');
  mkdirSync(dirname(stray));
  writeFileSync(stray, '');
  assert.equal(await setUp(folder, '--dev'), '', 'packages of this lock are not installed again');

  const lock = join(folder, 'package-lock.json');
  writeFileSync(lock, `${readFileSync(lock, 'utf8')}\n`);
  assert.match(await setUp(folder), /installing packages/);
  assert.ok(!existsSync(stray), 'npm ci removes what the lock does not name');
  assert.ok(existsSync(join(folder, 'node_modules/typescript')), 'npm start removed the packages of development');
});

/** A checkout whose two packages are folders in it, so that npm needs no registry. Its vite builds nothing. */
function makeCheckout(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-setup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const name of ['setup.mjs', 'native-builds.mjs']) {
    mkdirSync(join(folder, 'scripts'), { recursive: true });
    copyFileSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name));
  }
  for (const source of ['web', 'sdk', 'src', 'cli', 'scripts', 'migrations']) write(`${source}/source.ts`, '');
  for (const config of ['service', 'programs']) write(`scripts/${config}.vite.ts`, '');
  const vite = { name: 'vite', version: '1.0.0', bin: 'bin/vite.js' };
  const typescript = { name: 'typescript', version: '1.0.0' };
  write('packages/vite/package.json', vite);
  write(
    'packages/vite/bin/vite.js',
    "for (const name of ['web/dist', 'dist', 'dist/dashboard', 'dist/programs', 'cli/dist']) require('fs').mkdirSync(name, { recursive: true });",
  );
  write('packages/typescript/package.json', typescript);
  const root = {
    name: 'checkout',
    version: '1.0.0',
    dependencies: { vite: 'file:packages/vite' },
    devDependencies: { typescript: 'file:packages/typescript' },
  };
  write('package.json', root);
  write('package-lock.json', {
    ...{ name: root.name, version: root.version, lockfileVersion: 3 },
    packages: {
      '': root,
      'node_modules/vite': { resolved: 'packages/vite', link: true },
      'node_modules/typescript': { resolved: 'packages/typescript', link: true, dev: true },
      'packages/vite': vite,
      'packages/typescript': { ...typescript, dev: true },
    },
  });
  return folder;
}

async function setUp(folder: string, ...args: string[]): Promise<string> {
  const setup = spawn(process.execPath, [join(folder, 'scripts/setup.mjs'), ...args], {
    env: { ...process.env, npm_config_offline: 'true' },
  });
  let output = '';
  for (const stream of [setup.stdout, setup.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(setup, 'close');
  assert.equal(code, 0, output);
  return output;
}
