import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import type { Config } from '../config.ts';

const MB = 1024 * 1024;
/** A new Postgres, and what it writes in its first minutes. */
const FIRST_START_BYTES = 128 * MB;
/** Two segments of Postgres' log, which is what it asks for at a time. */
const START_BYTES = 32 * MB;
const RESERVE_BYTES = 64 * MB;
/** Below this the reserve is given up, and only with so much more than it is it made again. */
const SCARCE_BYTES = 16 * MB;
const AMPLE_BYTES = 2 * RESERVE_BYTES + SCARCE_BYTES;
const LOOK_MS = 2_000;
const FEWEST_FILES = 100;

/** What an operator is told, without a stack. */
export class DiskFullError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DiskFullError';
  }
}

/** Why a start can not go well on this disk, where it can not. What was set aside for such a day is used up first. */
export async function findLackOfRoom(folder: string): Promise<DiskFullError | undefined> {
  const needed = existsSync(clusterIn(folder)) ? START_BYTES : FIRST_START_BYTES;
  if ((await roomIn(folder)).bytes < needed) await rm(reserveIn(folder), { force: true });
  const { bytes, files } = await roomIn(folder);
  if (bytes >= needed && files >= FEWEST_FILES) return undefined;
  const left =
    bytes >= needed
      ? `it can take ${files} more files, and a start needs ${FEWEST_FILES}`
      : `${inMb(bytes)} are free, and a start needs ${inMb(needed)}: ${inMb(needed - bytes)} are missing`;
  return new DiskFullError(`The disk of DATA_DIR (${folder}) is full: ${left}. Make room there and start again.`);
}

/**
 * Sets room aside, and gives it up when the disk is full, so that jobs, logs and what Postgres has to write for its own safety still find some.
 * Made again when there is plenty.
 */
export async function keepReserve(folder: string, log: Log): Promise<Stop> {
  const reserve = reserveIn(folder);
  let isScarce = false;
  const look = async () => {
    const { bytes } = await roomIn(folder);
    const has = existsSync(reserve);
    if (bytes < SCARCE_BYTES !== isScarce && (bytes < SCARCE_BYTES || bytes > SCARCE_BYTES + RESERVE_BYTES)) {
      isScarce = !isScarce;
      const free = { folder, freeBytes: bytes };
      if (isScarce) log.error(free, 'the disk is full; what was set aside for that is given up. Make room');
      else log.info(free, 'the disk has room again');
    }
    if (bytes < SCARCE_BYTES && has) await rm(reserve, { force: true });
    if (bytes > AMPLE_BYTES && !has) await fill(reserve);
  };
  const lookQuietly = () => look().catch((error) => log.warn({ err: error }, 'could not see how full the disk is'));
  await lookQuietly();
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(lookQuietly);
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    return looking;
  };
}

/** Whether the disk of the embedded Postgres is so full that every write can be refused. */
export async function isDatabaseDiskFull({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  return existsSync(clusterIn(dataDir)) && (await roomIn(dataDir)).bytes < SCARCE_BYTES;
}

async function roomIn(folder: string): Promise<{ bytes: number; files: number }> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  // Some file systems have as many files as there is room for, and count none.
  return { bytes: bavail * bsize, files: files === 0 ? Infinity : ffree };
}

/** In real blocks, for a file with holes sets nothing aside. Linux has a program that takes them without writing. */
async function fill(path: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await promisify(execFile)('fallocate', ['-l', String(RESERVE_BYTES), draft]).catch(() => {});
    const { blocks } = await stat(draft).catch(() => ({ blocks: 0 }));
    if (blocks * 512 < RESERVE_BYTES) await writeZeros(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeZeros(path: string): Promise<void> {
  const zeros = Buffer.alloc(MB);
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < RESERVE_BYTES; written += MB) await file.write(zeros);
  } finally {
    await file.close();
  }
}

const clusterIn = (folder: string) => join(folder, 'postgres/cluster');
const reserveIn = (folder: string) => join(folder, 'reserve');
const inMb = (bytes: number) => `${Math.floor(bytes / MB)} MB`;
