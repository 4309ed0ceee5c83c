import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, openAccount } from './embedded/account.ts';
import { findPostgresBinaries } from './embedded/binaries.ts';
import {
  changePassword,
  createCluster,
  DATABASE,
  ROLE,
  readPassword,
  sweepUnfinishedClusters,
  writeNewPassword,
} from './embedded/cluster.ts';
import { lockDataDir } from './embedded/data-dir-lock.ts';
import { findPostmaster } from './embedded/postmaster.ts';
import { endOrphan, Server, type Settings } from './embedded/server.ts';

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its password, socket and log. Made when missing, and used by nothing else. */
  dataDir: string;
  log?: (line: string) => void;
  /** Settings of Postgres that add to or replace ours. */
  settings?: Settings;
}

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

/**
 * Sized for one small machine that mostly runs sites. Whatever keeps a process or memory for something we do not use
 * (replication, parallel queries, I/O workers) is off.
 */
const SETTINGS: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: 60,
  shared_buffers: '32MB',
  huge_pages: 'off',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  effective_cache_size: '512MB',
  random_page_cost: 1.1,
  io_method: 'sync',
  jit: 'off',
  max_worker_processes: 2,
  max_parallel_workers: 0,
  max_parallel_workers_per_gather: 0,
  max_parallel_maintenance_workers: 0,
  max_logical_replication_workers: 0,
  max_wal_senders: 0,
  max_replication_slots: 0,
  wal_level: 'minimal',
  min_wal_size: '32MB',
  max_wal_size: '512MB',
  autovacuum: 'on',
  autovacuum_max_workers: 2,
  autovacuum_worker_slots: 2,
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the Postgres that comes with Siteyard, over a unix socket alone, and starts it again whenever it dies. It runs
 * in a session of its own, so that Ctrl-C in the terminal reaches us and we end it in order. When we are killed it stays,
 * and the next start adopts it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = findPostgresBinaries();
  const dataDir = prepareDataDir(options.dataDir);
  const lock = lockDataDir(dataDir);
  try {
    const say = options.log ?? (() => {});
    const settings = { ...SETTINGS, ...options.settings };
    const cluster = join(dataDir, 'cluster');
    const runDir = join(dataDir, 'run');
    const account = openAccount(cluster, binaries.postgres, runDir);
    const makeable = { dataDir, cluster, account, binaries, durable: settings.fsync !== 'off' };

    sweepUnfinishedClusters(dataDir);
    const keptPassword = readPassword(dataDir);
    const password = keptPassword ?? writeNewPassword(dataDir);
    if (!existsSync(cluster)) {
      say(`Making a new Postgres cluster in ${cluster}.`);
      await createCluster(makeable, password);
    } else if (!keptPassword) {
      await endOrphan(cluster);
      await changePassword(makeable, password);
    }

    const { postgres } = binaries;
    const logFile = join(dataDir, 'postgres.log');
    const server = new Server({ account, postgres, cluster, runDir, logFile, settings, say });
    await server.start();

    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= server.stop().finally(() => lock.release());
      return stopped;
    };
    return { url: urlOf(server.socketDir, password), stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The address of the one that runs on this folder, be it another process that started it. */
export function findRunningPostgres(dataDir: string): string | undefined {
  if (!existsSync(dataDir)) return undefined;
  const folder = realpathSync(dataDir);
  const socketDir = findPostmaster(join(folder, 'cluster'))?.socketDir;
  const password = readPassword(folder);
  return socketDir === undefined || password === undefined ? undefined : urlOf(socketDir, password);
}

function prepareDataDir(path: string): string {
  mkdirSync(path, { recursive: true });
  // Root's own directory must let the account of Postgres pass to the cluster. Everything in it has a mode of its own.
  if (isRoot()) chmodSync(path, statSync(path).mode | 0o011);
  return realpathSync(path);
}

/** The host in front is ignored for the one in the query, but without it the address is none to a strict URL parser. */
function urlOf(socketDir: string, password: string): string {
  return `postgres://${ROLE}:${password}@localhost/${DATABASE}?host=${encodeURIComponent(socketDir)}`;
}
