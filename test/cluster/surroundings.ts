import { chmodSync, mkdirSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { MemoryS3 } from '../timemachine/memory-s3.ts';
import { RUN } from './cluster.ts';

const ADDRESS = '10.99.0.1';

/** What a fleet has beside its cluster: Postgres and a bucket, at addresses that pods reach. */
export interface Surroundings {
  databaseUrl: string;
  bucket: MemoryS3;
  query(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function startSurroundings(): Promise<Surroundings> {
  const dataDir = join(RUN, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o711);
  // Thrown away in the end, so nothing has to survive a power cut.
  const settings = { max_connections: 400, fsync: 'off', shared_buffers: '128MB' };
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const url = new URL(postgres.url);
  const folder = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  // Our Postgres listens on a socket alone; pods are given a way to it.
  const ways = [await relay(5432, { path: join(folder, '.s.PGSQL.5432') })];
  const later: (() => unknown)[] = [];
  const bucket = await MemoryS3.start({ after: (work) => void later.push(work) });
  ways.push(await relay(9000, { host: '127.0.0.1', port: Number(new URL(bucket.account.endpoint).port) }));
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  return {
    databaseUrl: `postgres://${url.username}:${url.password}@${ADDRESS}:5432${url.pathname}`,
    bucket,
    query: async (text) => (await pool.query(text)).rows,
    close: async () => {
      for (const way of ways) way.close();
      for (const work of later) await work();
      await pool.end();
      await postgres.stop();
    },
  };
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
