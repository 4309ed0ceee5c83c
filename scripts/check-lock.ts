import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeLock, type PackageLock } from './complete-lock.ts';

/**
 * Fails if `npm ci` would refuse package-lock.json, or if the lock names a registry. npm itself decides, offline and with an empty cache, so
 * the result is the same on every machine. `--fix` completes the lock after `npm install` changed it.
 */
const root = join(import.meta.dirname, '..');
const file = join(root, 'package-lock.json');

if (process.argv.includes('--fix')) {
  const { lock, added } = completeLock(readLock());
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${added.length} packages added to package-lock.json`);
}

const errors = [...listRegistryAddresses(), ...refuseIncompleteLock()];
for (const error of errors) console.error(error);
process.exitCode = errors.length > 0 ? 1 : 0;

function readLock(): PackageLock {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function listRegistryAddresses(): string[] {
  return Object.entries(readLock().packages)
    .filter(([, { resolved }]) => resolved?.includes('://'))
    .map(
      ([location]) => `package-lock.json names a registry for ${location}. Remove its "resolved" line (see .npmrc).`,
    );
}

function refuseIncompleteLock(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-lock-'));
  try {
    for (const name of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(root, name), join(folder, name));
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', `--cache=${join(folder, 'cache')}`];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status === 0) return [];
    const [reasons] = stderr.split('npm error Clean install a project');
    return [`${reasons}\nnpm ci refuses package-lock.json. Run \`npm run check:lock -- --fix\`.`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
