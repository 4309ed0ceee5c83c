import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Runs every `check:` script of package.json, as many at a time as there are cores; each that fails says why. */
const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));

const waiting = checks.values();
await Promise.all(Array.from({ length: availableParallelism() }, runChecks));

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

/** A command that cannot start fails too. */
function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}
