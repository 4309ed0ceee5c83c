#!/usr/bin/env node
/**
 * `npm test`: sets up what the chosen tests need and starts the runner on the pinned Node. It runs on the machine's own Node before anything
 * is installed, so it is plain JavaScript that imports no package.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
// Chosen files build what they need themselves (testkit/runner/resources.ts), so that one of them starts at once.
const level = args.includes('--full') ? '--tools' : args.some((each) => !each.startsWith('-')) ? '--dev' : '--test';
const { status } = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs'), level], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const pinned = join(root, 'node_modules/.bin/node');
const node = existsSync(pinned) ? pinned : process.execPath;
const runner = spawn(node, ['--disable-warning=ExperimentalWarning', join(root, 'testkit/runner/main.ts'), ...args], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => runner.kill(signal));
runner.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
