import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * Runs every `check:` script of package.json, side by side; each that fails says why. With --and-test the tests run beside
 * them: some checks wait for the network for minutes, in which a machine has better things to do.
 */
const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const isTesting = process.argv.includes('--and-test');

const waiting = checks.values();
const slots = isTesting ? 1 : availableParallelism();
const checking = Promise.all(Array.from({ length: slots }, runChecks));
if (isTesting) await runTests();
await checking;

async function runChecks(): Promise<void> {
  for (const name of waiting) await runCheck(name);
}

async function runCheck(name: string): Promise<void> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  const code = await exitOf(child);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
  if (code === 0) return;
  console.log(output);
  process.exitCode = 1;
}

async function runTests(): Promise<void> {
  const tests = spawn(process.execPath, [join(root, 'scripts/test.ts')], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));
  if ((await exitOf(tests)) !== 0) process.exitCode = 1;
}

/** What never started has not succeeded either. */
function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}
