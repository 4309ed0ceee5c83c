import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SiteDatabase, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import type { DatabaseCall, DatabaseReply } from './database-program.ts';

const PROGRAM = join(import.meta.dirname, 'database-program.ts');
const SOURCES = join(import.meta.dirname, '../..');
const PACKAGE_FILE = join(SOURCES, '../package.json');
/** Long enough for a gigabyte, and an end for a database that was made to be read for ever. */
const CALL_LIMIT_MS = 120_000;

/**
 * A site's SQLite file, asked in a process of its own that can open nothing else. The schema is the site's too, and SQLite
 * runs what is in there: in this process an endless view would hold up everybody.
 */
export class SiteDatabaseProcess implements SiteDatabase {
  readonly #child: ChildProcess;
  /** Called before and after everything that may write. */
  onWrite: () => void = () => {};
  #last: Promise<unknown> = Promise.resolve();

  /** `writable` is one more folder that may be written, for copies. */
  constructor(file: string, writable?: string) {
    // SQLite would make an empty database of a file that is not there.
    if (!existsSync(file)) throw new Error("the site's database is missing");
    const writes = [dirname(file), ...(writable ? [writable] : [])];
    this.#child = fork(PROGRAM, [file], {
      execArgv: [
        '--permission',
        ...[SOURCES, PACKAGE_FILE, ...writes].map((path) => `--allow-fs-read=${path}`),
        ...writes.map((path) => `--allow-fs-write=${path}`),
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
      ],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('error', () => {});
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

  async spreadNumbers(): Promise<void> {
    await this.#write({ call: 'spreadNumbers' });
  }

  async copyTo(file: string): Promise<void> {
    await this.#ask({ call: 'copyTo', file });
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #write(message: DatabaseCall): Promise<unknown> {
    this.onWrite();
    // Also where it failed: the process may have broken off after its work was done.
    return this.#ask(message).finally(this.onWrite);
  }

  #ask(message: DatabaseCall): Promise<unknown> {
    const answer = this.#last.then(() => this.#askNow(message));
    this.#last = answer.catch(() => {});
    return answer;
  }

  #askNow(message: DatabaseCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const timer = setTimeout(() => child.kill('SIGKILL'), CALL_LIMIT_MS);
      const end = (tell: () => void) => {
        clearTimeout(timer);
        child.off('message', onReply).off('exit', onExit);
        tell();
      };
      const onReply = (reply: DatabaseReply) =>
        end(() => ('error' in reply ? reject(new Error(reply.error)) : resolve(reply.value)));
      const onExit = () => end(() => reject(new Error("the site's database could not be asked")));
      child.on('message', onReply).once('exit', onExit);
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) onExit();
      else child.send(message);
    });
  }
}
