import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { freePort } from '#testkit/free-port.ts';
import { Random, SEED } from '#testkit/random.ts';
import { countPendingJobs, installAudit, verify } from './verify.ts';
import { type Ledger, Writer } from './writers.ts';

/**
 * Kills the service and its Postgres with SIGKILL, again and again at random instants, while eight people write to it.
 * In the end everything that was acknowledged must be there, once, and nothing half done.
 *
 *   KILLS=50 node test/kill/kill.ts
 */
const WRITERS = 8;
const READY_MS = 60_000;
const DRAIN_MS = 90_000;
const MODES = ['service', 'service and Postgres', 'service twice', 'Postgres'] as const;

const random = new Random(SEED);

export interface Outcome {
  faults: string[];
  summary: string;
}

export async function proveKills(kills: number, say: (line: string) => void = () => {}): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-kill-'));
  // Postgres runs as another user when we are root, and must be able to pass.
  chmodSync(dir, 0o711);
  const house = new House(join(dir, 'data'), await freePort());
  try {
    return await run(house, kills, say);
  } finally {
    house.sweep();
    rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function run(house: House, kills: number, say: (line: string) => void): Promise<Outcome> {
  const startedAt = Date.now();
  const ledger: Ledger = { writes: [], faults: [] };
  // The very first start makes the cluster, the key and the operator; it may be killed as well.
  house.launch();
  await sleep(random.below(3000));
  await house.killService();
  const url = await house.start();
  const client = await house.connect();
  await installAudit(client);
  const writers = await Promise.all(
    Array.from({ length: WRITERS }, (_, index) =>
      Writer.signUp(url, ledger, `writer${index}`, new Random(SEED + index)),
    ),
  );
  // Only with a confirmed address may they invite.
  await client.query('update users set is_verified = true');
  await client.end();
  try {
    for (const writer of writers) writer.start();
    for (let kill = 0; kill < kills; kill++) {
      await sleep(200 + random.below(1000));
      const mode = MODES[kill % MODES.length] as (typeof MODES)[number];
      say(`kill ${kill + 1} of ${kills}: ${mode}, after ${ledger.writes.length} writes`);
      await KILLERS[mode](house);
      house.checkAlive();
    }
    await sleep(300);
    await Promise.race([Promise.all(writers.map((writer) => writer.stop())), house.died()]);
  } finally {
    for (const writer of writers) writer.giveUp();
  }
  const drainedMs = await drain(house);
  const checker = await house.connect();
  const faults = await verify(checker, ledger, house.dataDir);
  await checker.end();
  faults.push(...(await checkStops(house)));

  const { writes } = ledger;
  const acknowledged = writes.filter((write) => write.acknowledged);
  const repeated = acknowledged.filter((write) => write.key !== undefined && write.attempts > 1);
  const invites = acknowledged.filter((write) => write.kind === 'invite');
  const summary =
    `${kills} kills in ${seconds(Date.now() - startedAt)}: ${acknowledged.length} writes acknowledged (${invites.length} invites), ` +
    `${writes.length - acknowledged.length} in doubt, ${repeated.length} repeated with their key; restarts took ` +
    `${seconds(median(house.startsMs))} (longest ${seconds(Math.max(...house.startsMs))}), the queue drained in ` +
    `${seconds(drainedMs)}; ${faults.length} faults`;
  return { faults, summary };
}

const KILLERS: Record<(typeof MODES)[number], (house: House) => Promise<void>> = {
  async service(house) {
    await house.killService();
    await house.start();
  },
  async 'service and Postgres'(house) {
    const postgresFirst = random.below(2) === 0;
    if (postgresFirst) house.killPostgres();
    await sleep(random.below(20));
    await house.killService();
    if (!postgresFirst) house.killPostgres();
    await house.start();
  },
  async 'service twice'(house) {
    await house.killService();
    house.launch();
    await sleep(random.below(1200));
    if (random.below(2) === 0) house.killPostgres();
    await house.killService();
    await house.start();
  },
  /** The service stays and has to bring its Postgres back by itself. */
  async Postgres(house) {
    house.killPostgres();
    await sleep(1500);
  },
};

/** The service on one data directory, over all its lives. */
class House {
  readonly dataDir: string;
  readonly startsMs: number[] = [];
  readonly #port: number;
  #service: ServiceProcess | undefined;
  #ended: number | NodeJS.Signals | undefined;

  constructor(dataDir: string, port: number) {
    this.dataDir = dataDir;
    this.#port = port;
  }

  launch(): ServiceProcess {
    this.#service = spawnService({
      PORT: String(this.#port),
      DATA_DIR: this.dataDir,
      ADMIN_PASSWORD: 'operator-password',
      RATE_LIMIT_FACTOR: '0',
      LOG_LEVEL: 'warn',
    });
    this.#ended = undefined;
    const service = this.#service;
    service.exited.then((end) => {
      if (service === this.#service) this.#ended = end;
    });
    return service;
  }

  async start(): Promise<string> {
    const startedAt = Date.now();
    const service = this.launch();
    const tooLong = sleep(READY_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the service was not ready after ${READY_MS} ms:\n${service.output()}`);
    });
    const url = await Promise.race([service.ready, tooLong]);
    this.startsMs.push(Date.now() - startedAt);
    return url;
  }

  async killService(): Promise<void> {
    this.#service?.kill('SIGKILL');
    await this.#service?.exited;
  }

  /** Fails when the service ended although nobody killed it. */
  checkAlive(): void {
    if (this.#ended !== undefined)
      throw new Error(`the service ended by itself (${this.#ended}):\n${this.#service?.output()}`);
  }

  async died(): Promise<void> {
    await this.#service?.exited;
    this.checkAlive();
  }

  killPostgres(): void {
    const pid = this.#postmasterPid();
    if (pid) signal(pid);
  }

  /** Ends the service in order; its exit code. */
  async stop(): Promise<number | NodeJS.Signals | undefined> {
    this.#service?.kill('SIGTERM');
    return this.#service?.exited;
  }

  async connect(): Promise<pg.Client> {
    const password = readFileSync(join(this.dataDir, 'postgres/password'), 'utf8').trim();
    const host = this.#postmasterLines()[4];
    const client = new pg.Client({ host, user: 'siteyard', database: 'siteyard', password });
    await client.connect();
    return client;
  }

  /** Every process that names the data directory in its arguments or its environment. */
  processes(): { pid: number; command: string }[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid)
      .flatMap((pid) => {
        try {
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
          const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
          return command.includes(this.dataDir) || environment.includes(this.dataDir) ? [{ pid, command }] : [];
        } catch {
          return [];
        }
      });
  }

  sweep(): void {
    for (const { pid } of this.processes()) signal(pid);
  }

  #postmasterLines(): string[] {
    try {
      return readFileSync(join(this.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
    } catch {
      return [];
    }
  }

  /** A pid file may outlive its process, and the pid may then be anybody's. */
  #postmasterPid(): number | undefined {
    const pid = Number(this.#postmasterLines()[0]);
    return this.processes().find((each) => each.pid === pid && each.command.includes('/postgres '))?.pid;
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

async function drain(house: House): Promise<number> {
  const startedAt = Date.now();
  const client = await house.connect();
  try {
    while ((await countPendingJobs(client)) > 0 && Date.now() - startedAt < DRAIN_MS) await sleep(100);
    return Date.now() - startedAt;
  } finally {
    await client.end();
  }
}

/** It ends in order, leaves nothing running, and nothing keeps the next start away. */
async function checkStops(house: House): Promise<string[]> {
  const faults: string[] = [];
  for (const which of ['first', 'second']) {
    const end = await house.stop();
    if (end !== 0) faults.push(`the ${which} orderly stop ended with ${end}`);
    for (const { pid, command } of house.processes())
      faults.push(`process ${pid} was left running after the ${which} stop: ${command}`);
    if (which === 'first') await house.start();
  }
  return faults;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

if (import.meta.main) {
  const { faults, summary } = await proveKills(Number(process.env.KILLS ?? 50), console.log);
  for (const fault of faults) console.error(fault);
  console.log(summary);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
