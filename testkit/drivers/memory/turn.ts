import { existsSync, statSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { request as send } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { makeFolderDurably, syncFolder } from '#core/durable-folder.ts';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import type { LoggedError, SiteSpec, SiteStorage, SqlRow, SqlValue } from '#runtimes/runtime.ts';

/** The site's database is not there, or is none. */
export class BrokenDatabase extends Error {}

export interface TurnPlace {
  site: SiteSpec;
  storage: SiteStorage;
  outbox: string;
  /** Ends whatever goes on. */
  signal: AbortSignal;
  /** What it is at: the method and path of a request, or a command. */
  name: string;
  logged(error: LoggedError): void;
  ownCall(connection: Duplex): void;
}

/** One request or command of a site: what it works on, and what others will have to know of it. */
export class Turn {
  readonly site: SiteSpec;
  readonly signal: AbortSignal;
  readonly outbox: string;
  readonly #place: TurnPlace;
  #database: SqliteFile | undefined;
  /** Pages may look different now. */
  hasChanged = false;

  constructor(place: TurnPlace) {
    this.#place = place;
    this.site = place.site;
    this.signal = place.signal;
    this.outbox = place.outbox;
  }

  /** A copy of a site runs nothing by the clock and is not indexed. */
  get isCopy(): boolean {
    return this.site.isCopy || this.site.isOffline;
  }

  async query(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    this.signal.throwIfAborted();
    return this.#open().query(sql, ...values);
  }

  async option(name: string): Promise<string | undefined> {
    const [row] = await this.query('select option_value from wp_options where option_name = ?', name);
    return row === undefined ? undefined : String(row.option_value);
  }

  async setOption(name: string, value: string): Promise<void> {
    await this.query(
      `insert into wp_options (option_name, option_value) values (?, ?)
       on conflict (option_name) do update set option_value = excluded.option_value`,
      name,
      value,
    );
    this.hasChanged = true;
  }

  /** The path of a file below wp-content; undefined for everything else. */
  contentFile(name: string): string | undefined {
    const parts = name.split('/');
    const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'));
    return isPlain ? join(this.#place.storage.content, ...parts) : undefined;
  }

  async readContent(name: string): Promise<string> {
    const file = this.contentFile(name);
    if (!file) throw new Error(`${name} is no file of the site`);
    return readFile(file, 'utf8');
  }

  /** Writes a file so that it lasts, and is never half there. */
  async writeContent(name: string, text: string | Uint8Array): Promise<void> {
    const file = this.contentFile(name);
    if (!file) throw new Error(`${name} is no file of the site`);
    this.signal.throwIfAborted();
    await makeFolderDurably(dirname(file));
    await placeFile(file, text);
  }

  log(level: LoggedError['level'], message: string, file: string | null = null): void {
    const line = file === null ? null : 1;
    this.#place.logged({ atMs: Date.now(), level, message, file, line, request: this.#place.name });
  }

  /** Leaves something for the platform, which never sees half of it. An offline site leaves nothing. */
  async leave(name: string, text: string): Promise<void> {
    if (this.site.isOffline) return;
    await mkdir(this.outbox, { recursive: true });
    await placeFile(join(this.outbox, name), text);
  }

  /** Asks the site itself, by its own address. */
  ask(path: string, body: string): Promise<string> {
    const { host } = new URL(this.site.url);
    const [ours, theirs] = duplexPair();
    this.#place.ownCall(theirs);
    return new Promise((resolve, reject) => {
      const headers = { host, 'content-type': 'text/plain', connection: 'close' };
      const options = { createConnection: () => ours, method: body === '' ? 'GET' : 'POST', path, headers };
      const asking = send({ ...options, signal: this.signal }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => resolve(text)).once('error', reject);
      });
      asking.once('error', reject).end(body);
    });
  }

  end(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): SqliteFile {
    const file = sqliteFileOf(this.#place.storage);
    // SQLite would make an empty database of a file that is not there.
    if (!existsSync(file) || statSync(file).size === 0) throw new BrokenDatabase('the database is missing');
    this.#database ??= new SqliteFile(file);
    return this.#database;
  }
}

async function placeFile(file: string, text: string | Uint8Array): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${process.hrtime.bigint()}`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}
