import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { spawnService } from '#testkit/app/service-process.ts';
import { freePort } from '#testkit/free-port.ts';

/** The processes that a benchmark measures. All of them end with `stopAll`. */
export interface Bench {
  dir: string;
  databaseUrl: string;
  postgresPid: number;
  /** The real service, as `npm start` runs it. */
  startService(env?: Record<string, string>, nodeArgs?: string[]): Promise<{ url: string; port: number; pid: number }>;
  /** A program of this folder that prints `ready: <port>`. */
  startProgram(file: string, args: string[]): Promise<{ port: number; pid: number }>;
  stopAll(): Promise<void>;
}

export async function startBench(): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-bench-'));
  const dataDir = join(dir, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataDir });
  const stops: (() => Promise<unknown>)[] = [];
  return {
    dir,
    databaseUrl: postgres.url,
    postgresPid: Number.parseInt(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8'), 10),
    async startService(env = {}, nodeArgs = []) {
      const port = await freePort();
      const service = spawnService(
        {
          PORT: String(port),
          DATA_DIR: join(dir, 'data'),
          DATABASE_URL: postgres.url,
          SECRET_KEY: 'a key for benchmarks that is long enough',
          RATE_LIMIT_FACTOR: '0',
          LOG_LEVEL: 'warn',
          ...env,
        },
        nodeArgs,
      );
      stops.push(async () => {
        service.kill('SIGTERM');
        await service.exited;
      });
      return { url: await service.ready, port, pid: service.pid };
    },
    async startProgram(file, args) {
      const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      stops.push(() => end(child));
      return { port: await readyPort(child, file), pid: child.pid as number };
    },
    async stopAll() {
      for (const stop of stops) await stop();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function readyPort(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('ready: ')) resolve(Number(line.slice('ready: '.length)));
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
