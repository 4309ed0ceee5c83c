import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '#core/db/database.ts';
import { findPostgresBinaries } from '#core/db/embedded/binaries.ts';
import { S3Store } from '#timemachine/stores/s3.ts';
import type { Config } from '../../config.ts';
import { advise, type Finding, fault, fine } from './finding.ts';
import { examineSiteServices } from './site-services.ts';

const PATHS = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/local/bin',
];
const OLDEST_POSTGRES = 150_000;

/** What the platform works with. */
export async function examineServices(config: Config): Promise<Finding[]> {
  return [
    await examineDatabase(config),
    await examineStore(config),
    ...(await examinePorts(config)),
    ...(await examineSiteServices(config)),
    examineGit(),
  ];
}

async function examineDatabase({ databaseUrl }: Config): Promise<Finding> {
  const name = 'postgres';
  if (databaseUrl === undefined) {
    try {
      findPostgresBinaries();
      return fine(name, 'the embedded one');
    } catch (error) {
      return fault(
        name,
        (error as Error).message,
        'Set DATABASE_URL, or install the packages again with `node scripts/setup.mjs`.',
      );
    }
  }
  const { db, close } = openDatabase(databaseUrl, 1, () => {});
  try {
    const { rows } = await sql<{ number: number; version: string }>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as version`.execute(
      db,
    );
    const { number = 0, version = '' } = rows[0] ?? {};
    if (number >= OLDEST_POSTGRES) return fine(name, version);
    return fault(name, version, 'Use Postgres 15 or newer.');
  } catch (error) {
    return fault(
      name,
      `DATABASE_URL does not answer: ${(error as Error).message}`,
      'Start that server, and let this machine in.',
    );
  } finally {
    await close();
  }
}

async function examineStore({ backupStore, dataDir }: Config): Promise<Finding> {
  const name = 'backups';
  if (backupStore.kind === 's3') {
    try {
      await new S3Store(backupStore.account).names('');
      return fine(name, `in the bucket ${backupStore.account.bucket}`);
    } catch (error) {
      return fault(
        name,
        (error as Error).message,
        'Look at BACKUP_STORE and the AWS_ variables, and at the rights of that key: read, write, list, delete.',
      );
    }
  }
  const { folder } = backupStore;
  const refusal = findRefusal(folder);
  if (refusal !== undefined)
    return fault(
      name,
      `${folder} cannot be written (${refusal})`,
      'Mount it for writing, or set BACKUP_STORE to another folder.',
    );
  const deviceOf = (path: string): number => (existsSync(path) ? statSync(path).dev : deviceOf(dirname(path)));
  if (deviceOf(folder) !== deviceOf(dataDir)) return fine(name, `in ${folder}, on a disk of its own`);
  return advise(
    name,
    `in ${folder}, on the disk of DATA_DIR`,
    'Set BACKUP_STORE to another disk or a bucket: what takes this disk takes both.',
  );
}

/** Why nothing can be created in a folder, or where it will be created; read-only mounts refuse root too. */
function findRefusal(folder: string): string | undefined {
  if (!existsSync(folder)) return findRefusal(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

async function examinePorts({ host, port, httpsPort, sshPort, metricsPort }: Config): Promise<Finding[]> {
  const ports = Object.entries({ PORT: port, HTTPS_PORT: httpsPort, SSH_PORT: sshPort, METRICS_PORT: metricsPort });
  const findings: Finding[] = [];
  for (const [name, number] of ports) {
    if (number === undefined || number === 0) continue;
    const trouble = await listen(host, number);
    if (trouble === undefined) findings.push(fine(name, `${number} is free`));
    else if (trouble === 'EADDRINUSE')
      findings.push(
        advise(name, `${number} is taken`, 'Right where the service runs already; set another one otherwise.'),
      );
    else
      findings.push(
        fault(
          name,
          `${number} on ${host} can not be opened (${trouble})`,
          'Take a port above 1023, give the service CAP_NET_BIND_SERVICE, or set HOST to an address of this machine.',
        ),
      );
  }
  return findings;
}

function listen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

function examineGit(): Finding {
  const missing = ['git', 'ssh'].filter((program) => !isInstalled(program));
  if (missing.length === 0) return fine('git', 'git and ssh are installed');
  return advise(
    'git',
    `${missing.join(' and ')} missing`,
    'Install git and openssh-client, so that sites can follow repositories.',
  );
}

function isInstalled(program: string): boolean {
  return PATHS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
