import { type FileHandle, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LogKind, noteLine } from './entries.ts';

/**
 * A site's log on disk: pieces that are only ever appended to, named by day and number, errors apart from visits so that many
 * of the one push out none of the other. What is too old, or too much, goes piece by piece. Several processes of the platform may
 * write at once: nobody keeps a file open, and an append is one piece of whole lines.
 */
interface LogLimits {
  /** All pieces together. The oldest go when another one begins. */
  maxBytes: number;
  pieceBytes: number;
}

const LOG_LIMITS: Record<LogKind, LogLimits> = {
  error: { maxBytes: 8 * 1024 ** 2, pieceBytes: 1024 ** 2 },
  access: { maxBytes: 16 * 1024 ** 2, pieceBytes: 2 * 1024 ** 2 },
};
const DAY_MS = 24 * 3600 * 1000;
const PIECE = /^(error|access)-(\d{4}-\d{2}-\d{2}-\d{6})\.jsonl$/;

/** A piece of a log, by its day and its number on that day: `2026-11-16-000001`. Names sort as they were made. */
export type PieceName = string;

export class LogFolder {
  readonly #folder: string;
  readonly #keptMs: number;

  constructor(folder: string, keptDays: number) {
    this.#folder = folder;
    this.#keptMs = keptDays * DAY_MS;
  }

  async pieces(siteId: string, kind: LogKind): Promise<PieceName[]> {
    const names = await readdir(join(this.#folder, siteId)).catch(ignoreMissing<string[]>([]));
    return names
      .map((name) => PIECE.exec(name))
      .filter((match) => match?.[1] === kind)
      .map((match) => match?.[2] as string)
      .sort();
  }

  /** Undefined where it has gone. */
  open(siteId: string, kind: LogKind, piece: PieceName): Promise<FileHandle | undefined> {
    return open(this.#fileOf(siteId, kind, piece)).catch(ignoreMissing(undefined));
  }

  /** The lines follow a line break, since the last one of whoever wrote before may be half a line. */
  async append(siteId: string, kind: LogKind, lines: string): Promise<void> {
    const pieces = await this.pieces(siteId, kind);
    const today = dayOf(Date.now());
    const last = pieces.at(-1);
    // Of a later day where the clock was set back.
    const isOpen = last !== undefined && last > today && (await this.#hasRoom(siteId, kind, last));
    if (isOpen) return this.#write(siteId, kind, last, lines);
    if (pieces.length === 0) await this.#makeFolder(siteId);
    const told = await this.#makeRoom(siteId, kind, pieces);
    await this.#write(siteId, kind, nextName(today, last), told + lines);
  }

  /** What is older than the days that a log is kept. */
  async removeOld(siteId: string): Promise<void> {
    const oldest = dayOf(Date.now() - this.#keptMs);
    for (const kind of ['error', 'access'] as const)
      for (const piece of await this.pieces(siteId, kind)) if (piece < oldest) await this.#remove(siteId, kind, piece);
    // Only an empty folder can be removed so, and that is what is meant.
    await rmdir(join(this.#folder, siteId)).catch(() => {});
  }

  async sites(): Promise<string[]> {
    return readdir(this.#folder).catch(ignoreMissing<string[]>([]));
  }

  async removeSite(siteId: string): Promise<void> {
    await rm(join(this.#folder, siteId), { recursive: true, force: true });
  }

  async #hasRoom(siteId: string, kind: LogKind, piece: PieceName): Promise<boolean> {
    return (await this.#sizeOf(siteId, kind, piece)) < LOG_LIMITS[kind].pieceBytes;
  }

  /** Before another piece begins. Returns the line that says what had to go for it. */
  async #makeRoom(siteId: string, kind: LogKind, pieces: PieceName[]): Promise<string> {
    const { maxBytes, pieceBytes } = LOG_LIMITS[kind];
    const oldest = dayOf(Date.now() - this.#keptMs);
    const sizes = await Promise.all(pieces.map((piece) => this.#sizeOf(siteId, kind, piece)));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    let hasLost = false;
    for (const [index, piece] of pieces.entries()) {
      const isOld = piece < oldest;
      if (!isOld && total <= maxBytes - pieceBytes) break;
      hasLost ||= !isOld;
      total -= sizes[index] ?? 0;
      await this.#remove(siteId, kind, piece);
    }
    const keptMb = maxBytes / 1024 ** 2;
    return hasLost ? noteLine(`The oldest lines of this log made room for new ones: it holds ${keptMb} MB.`) : '';
  }

  async #write(siteId: string, kind: LogKind, piece: PieceName, lines: string): Promise<void> {
    const openIt = () => open(this.#fileOf(siteId, kind, piece), 'a', 0o600);
    const file = await openIt().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      // It was empty for a moment, and somebody has swept it away since it was seen or made.
      await this.#makeFolder(siteId);
      return openIt();
    });
    await file.appendFile(`\n${lines}`).finally(() => file.close());
  }

  async #makeFolder(siteId: string): Promise<void> {
    await mkdir(join(this.#folder, siteId), { recursive: true, mode: 0o700 });
  }

  async #sizeOf(siteId: string, kind: LogKind, piece: PieceName): Promise<number> {
    return (await stat(this.#fileOf(siteId, kind, piece)).catch(ignoreMissing(undefined)))?.size ?? 0;
  }

  #remove(siteId: string, kind: LogKind, piece: PieceName): Promise<void> {
    return rm(this.#fileOf(siteId, kind, piece), { force: true });
  }

  #fileOf(siteId: string, kind: LogKind, piece: PieceName): string {
    return join(this.#folder, siteId, `${kind}-${piece}.jsonl`);
  }
}

const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** After the last one also where that is of a later day: names have to rise. */
function nextName(today: string, last: PieceName | undefined): PieceName {
  const [lastDay, lastNumber] = last ? [last.slice(0, 10), Number(last.slice(11))] : ['', 0];
  const day = lastDay > today ? lastDay : today;
  return `${day}-${String(lastDay === day ? lastNumber + 1 : 1).padStart(6, '0')}`;
}

function ignoreMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}
