import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testkit/free-port.ts';
import { median } from './load.ts';
import { commandOf, descendants, pssBytesOf } from './proc.ts';
import type { Report } from './report.ts';

/**
 * How long `npm start` takes until it serves, on a new data directory and on a used one, and what it holds in memory
 * when nobody asks for anything: the proportional set size of npm, Node and Postgres together.
 */
const STARTS = 3;
/** By then what a start leaves as garbage is collected. */
const IDLE_MS = 60_000;
/** For so long PHP may make the templates that are shipped, after which there is none where there is no site. */
const TEMPLATES_MS = 600_000;
const QUIET_MS = 10_000;
const ROOT = join(import.meta.dirname, '..');

export async function run(): Promise<Report> {
  const first: number[] = [];
  const second: number[] = [];
  const memory: Memory[] = [];
  for (let round = 0; round < STARTS; round++) {
    const dir = mkdtempSync(join(tmpdir(), 'siteyard-bench-'));
    chmodSync(dir, 0o711);
    try {
      const isLast = round === STARTS - 1;
      const idle = async (pid: number) => {
        if (!isLast) return;
        await sleep(IDLE_MS);
        memory.push(measureMemory(pid));
      };
      const made = async (pid: number) => {
        if (isLast) await waitForTemplates(pid);
        await idle(pid);
      };
      first.push(await measureStart(dir, made));
      second.push(await measureStart(dir, idle));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const [ofFirst, ofSecond] = memory as [Memory, Memory];
  const [firstMb, secondMb] = [totalMb(ofFirst), totalMb(ofSecond)];
  const secondMs = median(second);
  return {
    name: 'bench/start',
    intro: `\`npm start\` with everything embedded, ${STARTS} times; memory as PSS of the whole process tree, ${IDLE_MS / 1000} s after the start and without a request. The first start makes the shipped templates; its minute begins when they are made.`,
    tables: [
      {
        head: ['', 'figure'],
        rows: [
          ['first start, until it serves', `${median(first).toFixed(0)} ms`],
          ['second start', `${secondMs.toFixed(0)} ms`],
          ['idle memory after the first start', `${firstMb.toFixed(0)} MB`],
          ...partsOf(ofFirst),
          ['idle memory after the second start', `${secondMb.toFixed(0)} MB`],
          ...partsOf(ofSecond),
        ],
      },
    ],
    goals: [
      { text: `second start below 2 s (${(secondMs / 1000).toFixed(2)} s)`, met: secondMs < 2000 },
      ...Object.entries({ first: firstMb, second: secondMb }).map(([which, mb]) => ({
        text: `idle below 250 MB after the ${which} start (${mb.toFixed(0)} MB)`,
        met: mb < 250,
      })),
    ],
  };
}

/** Bytes, by what they are for. */
type Memory = Map<string, number>;

const totalMb = (memory: Memory) => [...memory.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e6;
const partsOf = (memory: Memory) => [...memory].map(([name, bytes]) => [`- ${name}`, `${(bytes / 1e6).toFixed(0)} MB`]);

async function measureStart(dir: string, whileItRuns?: (pid: number) => Promise<void>): Promise<number> {
  const env = { ...process.env, PORT: String(await freePort()), DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'warn' };
  const startedAt = performance.now();
  const child = spawn('npm', ['start', '--silent'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('ready: ') && resolve());
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
  });
  const ms = performance.now() - startedAt;
  await whileItRuns?.(child.pid as number);
  // npm hands the signal on and waits.
  child.kill('SIGTERM');
  await exited;
  return ms;
}

/** Until PHP has run and then not for a while, or for as long as we wait for that. WordPress has to be compiled before the first. */
async function waitForTemplates(pid: number): Promise<void> {
  const isPhpThere = () => descendants(pid).some((each) => commandOf(each).includes('php-wasm/worker'));
  const end = performance.now() + TEMPLATES_MS;
  let lastSeen = Number.POSITIVE_INFINITY;
  for (; performance.now() < end; await sleep(500)) {
    if (isPhpThere()) lastSeen = performance.now();
    else if (performance.now() - lastSeen > QUIET_MS) return;
  }
}

function measureMemory(pid: number): Memory {
  const parts: Memory = new Map();
  for (const each of descendants(pid)) {
    const command = commandOf(each);
    const name = command.startsWith('npm') ? 'npm' : command.includes('postgres') ? 'Postgres' : 'Siteyard';
    parts.set(name, (parts.get(name) ?? 0) + pssBytesOf(each));
  }
  return parts;
}
