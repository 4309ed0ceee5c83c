import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { UnpackedSite } from '#core/archive/unpack-site.ts';
import { programFile } from '#core/program.ts';
import type { ArchiveSource } from '#runtimes/runtime.ts';
import type { DumpTables } from '#runtimes/wordpress/dump/load-dump.ts';
import type { WordPressTables } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { ChildProgram } from './child-program.ts';
import type { ImportCall } from './import-program.ts';
import type { ProgramRoom } from './program-room.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'import-program.ts'));
const LIMITS = { maxBytes: 4_000_000_000, maxEntries: 200_000 };
/** Each may fill its share of the disk, so the others wait. */
const AT_ONCE = 2;
const CALL_LIMIT_MS = 15 * 60_000;
const PIECE_BYTES = 4 * 1024 * 1024;
const STALE_MS = 24 * 3_600_000;

/** What an archive turned out to hold, in a folder of its own. */
export interface UnpackedArchive {
  content: string;
  site: UnpackedSite;
  dump: DumpTables;
  /** Puts the rows into a database that has the tables. Only the folder of that file can be written. */
  loadInto(database: string): Promise<void>;
}

/** Where archives of strangers are unpacked: a folder for each, which is gone when the work with it has ended. */
export class ImportFolders {
  readonly #folder: string;
  /** Where this machine has a sandbox, once that was found. */
  room: ProgramRoom | undefined;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async unpack<T>(archive: ArchiveSource, work: (unpacked: UnpackedArchive) => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running++;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      return await this.#unpackNow(archive, work);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  async #unpackNow<T>(archive: ArchiveSource, work: (unpacked: UnpackedArchive) => Promise<T>): Promise<T> {
    const scratch = join(this.#folder, randomUUID());
    await this.#sweep();
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const places = {
      file: join(scratch, 'archive'),
      content: join(scratch, 'content'),
      dump: join(scratch, 'dump.sql'),
    };
    try {
      await receive(archive, places.file);
      const { site, dump } = await this.#inProcess([scratch], async (ask, inside) => {
        const [file, content, dumped] = [inside(places.file), inside(places.content), inside(places.dump)];
        const unpack = { call: 'unpack', file, limits: LIMITS, target: { content, dump: dumped } } as const;
        return {
          site: (await ask(unpack)) as UnpackedSite,
          dump: (await ask({ call: 'read', dump: dumped })) as DumpTables,
        };
      });
      const load = (found: WordPressTables, database: string) =>
        this.#inProcess([scratch, dirname(database)], (ask, inside) =>
          ask({ call: 'load', dump: inside(places.dump), found, database: inside(database) }),
        );
      return await work({
        content: places.content,
        site,
        dump,
        async loadInto(database) {
          await load(dump.found, database);
        },
      });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async #inProcess<T>(
    folders: string[],
    work: (ask: (call: ImportCall) => Promise<unknown>, inside: (path: string) => string) => Promise<T>,
  ): Promise<T> {
    const program = new ChildProgram(PROGRAM, {
      room: this.room,
      folders,
      flags: ['--max-old-space-size=512'],
      complaint: 'the archive could not be read in time',
    });
    try {
      return await work((call) => program.ask(call, CALL_LIMIT_MS), program.inside);
    } finally {
      await program.close();
    }
  }

  /** What a killed process left behind. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const place = join(this.#folder, name);
      const made = (await stat(place).catch(() => undefined))?.mtimeMs ?? Date.now();
      if (made < Date.now() - STALE_MS) await rm(place, { recursive: true, force: true });
    }
  }
}

async function receive({ sizeBytes, read }: ArchiveSource, file: string): Promise<void> {
  async function* pieces() {
    for (let at = 0; at < sizeBytes; ) {
      const piece = await read(at, Math.min(PIECE_BYTES, sizeBytes - at));
      if (piece.length === 0) throw new ArchiveRefused('it is cut off');
      at += piece.length;
      yield piece;
    }
  }
  await pipeline(pieces, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}
