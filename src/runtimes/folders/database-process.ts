import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programFile } from '#core/program.ts';
import type { Adaptation, SiteDatabase, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import type { ChosenTheme } from '#runtimes/wordpress/adapt.ts';
import { ChildProgram } from './child-program.ts';
import type { DatabaseCall } from './database-program.ts';
import type { ProgramRoom } from './program-room.ts';

const PROGRAM = programFile(join(import.meta.dirname, 'database-program.ts'));
/** Long enough for a gigabyte, and an end for a database that was made to be read for ever. */
const CALL_LIMIT_MS = 120_000;

/**
 * A site's SQLite file, asked in a process of its own that can open nothing else. The schema is the site's too, and SQLite
 * runs what is in there: in this process an endless view would hold up everybody.
 */
export class SiteDatabaseProcess implements SiteDatabase {
  readonly #program: ChildProgram;
  readonly #file: string;
  /** Called before and after everything that may write. */
  onWrite: () => void = () => {};

  constructor(file: string, room?: ProgramRoom) {
    this.#file = file;
    this.#program = new ChildProgram(PROGRAM, {
      room,
      folders: [dirname(file)],
      paths: [file],
      complaint: "the site's database could not be asked",
    });
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
    // SQLite would make an empty database of a file that is not there.
    if (!existsSync(this.#file)) throw new Error("the site's database is missing");
    return this.#program.ask(message, CALL_LIMIT_MS);
  }
}
