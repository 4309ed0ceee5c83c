import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findPostmaster } from '#core/db/embedded/postmaster.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { shiftStoredTimes } from './shifted-times.ts';

/** The service and its Postgres on one folder, over all their lives. */
export class ShakenPlatform {
  readonly dataDir: string;
  readonly url: string;
  readonly #clockFile: string;
  readonly #env: Record<string, string>;
  #service: ServiceProcess | undefined;
  #wrongSeconds = 0;

  private constructor(dataDir: string, port: number, runtime: string) {
    this.dataDir = dataDir;
    this.url = `http://localhost:${port}`;
    this.#clockFile = join(dataDir, '../clock');
    this.#env = {
      PORT: String(port),
      DATA_DIR: dataDir,
      RUNTIME: runtime,
      CLOCK_FILE: this.#clockFile,
      ADMIN_PASSWORD: 'operator-password',
      RATE_LIMIT_FACTOR: '0',
      LOG_LEVEL: 'warn',
      PHP_TIMEOUT_SECONDS: '10',
    };
  }

  static async create(dataDir: string, runtime: string): Promise<ShakenPlatform> {
    return new ShakenPlatform(dataDir, await freePort(), runtime);
  }

  get cluster(): string {
    return join(this.dataDir, 'postgres/cluster');
  }

  /** Starts it, again and again where the disk is full meanwhile, as whoever runs it would. */
  async start(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      this.#service = spawnService(this.#env, ['--import', join(import.meta.dirname, 'shifted-clock.mjs')], 200_000);
      try {
        await this.#service.ready;
        return;
      } catch (error) {
        if ((await this.#service.exited) !== 28 || attempt > 30) throw error;
        await sleep(1_000);
      }
    }
  }

  async kill(): Promise<void> {
    this.#service?.kill('SIGKILL');
    await this.#service?.exited;
  }

  killPostgres(): void {
    const pid = findPostmaster(this.cluster)?.pid;
    if (pid) process.kill(pid, 'SIGKILL');
  }

  /** The time of day of the service, and what the database has written down, seen from a clock that was moved by so much. */
  async moveClock(seconds: number): Promise<void> {
    // Postgres may be on its way back from the fault before.
    const client = await eventually(() => this.connect().catch(() => undefined), 20_000);
    try {
      await shiftStoredTimes(client, -seconds);
    } finally {
      await client.end().catch(() => {});
    }
    this.#wrongSeconds += seconds;
    writeFileSync(this.#clockFile, String(this.#wrongSeconds * 1000));
  }

  async connect(): Promise<pg.Client> {
    const password = readFileSync(join(this.dataDir, 'postgres/password'), 'utf8').trim();
    const host = readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[4];
    const client = new pg.Client({
      host,
      user: 'siteyard',
      database: 'siteyard',
      password,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  output(): string {
    return this.#service?.output() ?? '';
  }

  async stop(): Promise<number | NodeJS.Signals | undefined> {
    this.#service?.kill('SIGTERM');
    const end = await this.#service?.exited;
    rmSync(this.#clockFile, { force: true });
    return end;
  }
}
