import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { RUN } from './cluster.ts';
import { startProvisioner } from './kube.ts';

/**
 * What a fleet has beside its cluster: Postgres and a bucket, at addresses that pods reach, and what makes volumes. A process of its own, in the network of the cluster,
 * so that the journey can be gone on the same fleet again.
 */
const ADDRESS = '10.99.0.1';
export const NOTE = join(RUN, 'surroundings.json');

export interface Surroundings {
  databaseUrl: string;
  query(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export function openSurroundings(): Surroundings {
  const { databaseUrl } = JSON.parse(readFileSync(NOTE, 'utf8')) as { databaseUrl: string };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  return { databaseUrl, query: async (text) => (await pool.query(text)).rows, close: () => pool.end() };
}

/** What a fleet has on machines of its own: pods that are at work leave it as much as they have themselves (node.sh), or nothing answers in time. */
function weighAsANode(): void {
  const group = `/sys/fs/cgroup/cpu/${process.env.CLUSTER_NAME ?? 'sy'}-beside`;
  if (!existsSync('/sys/fs/cgroup/cpu/cpu.shares')) return;
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'cpu.shares'), '6144');
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
}

async function run(): Promise<void> {
  weighAsANode();
  const dataDir = join(RUN, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o711);
  // Thrown away in the end, so nothing has to survive a power cut.
  const settings = { max_connections: 400, fsync: 'off', shared_buffers: '128MB' };
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const url = new URL(postgres.url);
  const folder = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  // Our Postgres listens on a socket alone; pods are given a way to it.
  await relay(5432, { path: join(folder, '.s.PGSQL.5432') });
  const bucket = await MemoryS3.start({ after: () => {} });
  await relay(9000, { host: '127.0.0.1', port: Number(new URL(bucket.account.endpoint).port) });
  const stopProvisioner = startProvisioner();
  process.once('SIGTERM', async () => {
    stopProvisioner();
    await postgres.stop();
    process.exit();
  });
  const databaseUrl = `postgres://${url.username}:${url.password}@${ADDRESS}:5432${url.pathname}`;
  writeFileSync(`${NOTE}.new`, JSON.stringify({ databaseUrl }), { mode: 0o600 });
  renameSync(`${NOTE}.new`, NOTE);
}

async function relay(port: number, target: NetConnectOpts) {
  const server = createServer((near) => {
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(port, ADDRESS, listening));
  return server;
}

if (import.meta.main) await run();
