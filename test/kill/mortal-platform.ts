import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { freePort } from '#testkit/free-port.ts';
import { commandOf } from '../../bench/proc.ts';

/** Which processes are killed. */
export const WAYS = ['processes of the time machine', 'platform and all its processes', 'platform alone'] as const;
export type Way = (typeof WAYS)[number];

/** What its sites run on. Which processes of PHP a kill leaves behind is the matter of RUNTIME=php-wasm, the longer form. */
export const RUNTIME = process.env.RUNTIME ?? 'memory';

const PROGRAM = 'timemachine/process/program.mjs';

/** The platform on one data directory and one database, over all its lives. */
export class MortalPlatform {
  readonly dataDir: string;
  readonly url: string;
  readonly env: Record<string, string>;
  readonly #pool: pg.Pool;
  readonly #drop: () => Promise<void>;
  #service: ServiceProcess | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #isOver = false;

  private constructor(
    dataDir: string,
    port: number,
    database: { url: string; drop(): Promise<void> },
    more: Record<string, string>,
  ) {
    this.dataDir = dataDir;
    this.url = `http://localhost:${port}`;
    this.env = {
      PORT: String(port),
      RUNTIME,
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for tests that is long enough',
      ADMIN_PASSWORD: 'operator-password',
      RATE_LIMIT_FACTOR: '0',
      BACKUP_PROCESSES: '2',
      LOG_LEVEL: 'warn',
      ...more,
    };
    this.#pool = new pg.Pool({ connectionString: database.url, max: 4 });
    // The database goes at the end with whoever is connected still.
    this.#pool.on('error', () => {});
    this.#drop = database.drop;
  }

  /** `more`: variables beside its own, or in their place. */
  static async create(more: Record<string, string> = {}): Promise<MortalPlatform> {
    const dataDir = mkdtempSync(join(tmpdir(), 'siteyard-restore-kill-'));
    // MariaDB runs as another user when we are root, and must be able to pass.
    chmodSync(dataDir, 0o711);
    return new MortalPlatform(dataDir, await freePort(), await createTestDatabase(), more);
  }

  /** Of the service alone; what it started is below it. */
  get pid(): number {
    return this.#service?.pid as number;
  }

  start(): Promise<unknown> {
    this.#service = spawnService(this.env);
    this.#starting = this.#service.ready;
    return this.#starting;
  }

  /** Waits until the platform serves, for whoever found it gone. Fails where it does not come back. */
  async isUp(): Promise<void> {
    await sleep(20);
    if (this.#isOver) throw new Error('the platform does not come back');
    await this.#starting;
  }

  /** What stays of the platform has to come back by itself; what does not is started again with `start`. */
  async kill(way: Way): Promise<void> {
    const { pid } = this;
    const below = childrenOf(pid);
    if (way === 'processes of the time machine') return below.filter(isTimeMachine).forEach(signal);
    signal(pid);
    if (way === 'platform and all its processes') below.forEach(signal);
    await this.#service?.exited;
  }

  /** Ends it in order; its exit code. */
  async stop(): Promise<unknown> {
    this.#service?.kill('SIGTERM');
    return this.#service?.exited;
  }

  async rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#pool.query(text, values)).rows;
  }

  output(): string {
    return this.#service?.output() ?? '';
  }

  /** `endRest`: what outlives the service. */
  async destroy(endRest: () => void = () => {}): Promise<void> {
    this.#isOver = true;
    this.#service?.kill('SIGKILL');
    await this.#service?.exited;
    endRest();
    await this.#pool.end();
    await this.#drop();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** At once, for a kill has to come at its moment: the whole of /proc takes longer than half of a restore. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

const isTimeMachine = (pid: number) => commandOf(pid).includes(PROGRAM);

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}
