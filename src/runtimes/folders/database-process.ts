import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programFile } from '#core/program.ts';
import type { Adaptation, SiteDatabase, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import type { ChosenTheme } from '#runtimes/wordpress/adapt.ts';
import type { DatabaseDescription } from '#timemachine/sources/open-database.ts';
import { ChildProgram } from './child-program.ts';
import type { DatabaseCall } from './database-program.ts';
import type { ProgramRoom } from './program-room.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'database-program.ts'));
/** Long enough for a gigabyte, and an end for a database that was made to be read for ever. */
const CALL_LIMIT_MS = 120_000;
/** A server has larger ones, and ends each statement by itself. */
const SERVER_LIMIT_MS = 30 * 60_000;

/** What reading of another one's tables may take of memory: a row, and what becomes of it. */
const MEMORY_FLAG = '--max-old-space-size=1024';
/** The driver of MariaDB with all that it needs. */
const DRIVER = ['mariadb', 'denque', 'iconv-lite', 'lru-cache', 'safer-buffer'];

/**
 * A site's database, asked in a process of its own that can open nothing else. What is in there is the site's, the schema too: in this process an
 * endless view would hold up everybody, and an answer without end fill the memory of all.
 */
export class SiteDatabaseProcess implements SiteDatabase {
  readonly #program: ChildProgram;
  readonly #where: DatabaseDescription;
  /** Called before and after everything that may write. */
  onWrite: () => void = () => {};

  /** The room is for a file: it has no network, and no socket of a server. */
  constructor(where: DatabaseDescription, room?: ProgramRoom) {
    this.#where = where;
    const common = { flags: [MEMORY_FLAG], complaint: "the site's database could not be asked" };
    this.#program =
      where.kind === 'mariadb'
        ? new ChildProgram(PROGRAM, { ...common, folders: [], packages: DRIVER })
        : new ChildProgram(PROGRAM, { ...common, room, folders: [dirname(where.file)], paths: [where.file] });
  }

  tables(): Promise<string[]> {
    return this.#ask({ call: 'tables' }) as Promise<string[]>;
  }

  query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return this.#write({ call: 'query', sql, values }) as Promise<SqlRow[]>;
  }

  async moveTo(url: string): Promise<void> {
    await this.#write({ call: 'moveTo', url });
  }

  numbers(): Promise<Record<string, number>> {
    return this.#ask({ call: 'numbers' }) as Promise<Record<string, number>>;
  }

  async spreadNumbers(above: Record<string, number>): Promise<void> {
    await this.#write({ call: 'spreadNumbers', above });
  }

  /** Makes a database that came from elsewhere the site's own. */
  async adapt(change: Adaptation, theme: ChosenTheme | undefined): Promise<void> {
    await this.#write({ call: 'adapt', change, theme });
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #write(message: DatabaseCall): Promise<unknown> {
    this.onWrite();
    // Also where it failed: the process may have broken off after its work was done.
    return this.#ask(message).finally(this.onWrite);
  }

  async #ask(message: DatabaseCall): Promise<unknown> {
    const where = this.#where;
    if (where.kind === 'mariadb') return this.#program.ask({ ...message, server: where }, SERVER_LIMIT_MS);
    // SQLite would make an empty database of a file that is not there.
    if (!existsSync(where.file)) throw new Error("the site's database is missing");
    return this.#program.ask(message, CALL_LIMIT_MS);
  }
}
