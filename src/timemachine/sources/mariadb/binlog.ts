import type { Account, ServerAddress } from '#runtimes/mariadb/site-databases.ts';
import type { KeySpan } from '../../tables/table-source.ts';
import { keysOfRows, type LoggedTable, parseTable } from './binlog-rows.ts';
import { BinlogFailure, readBinlog } from './binlog-stream.ts';

/** A place in the log. */
export interface BinlogPosition {
  file: string;
  offset: number;
  /** When the file was begun, so that another one of its name is not taken for it. */
  begunAt?: number | undefined;
}

/** What the log tells of one database between two places. */
export interface LoggedChanges {
  /** Where the last change of it is; undefined where there is none. */
  last: string | undefined;
  /** Tables may be other ones, or made differently: then nothing is known of any of them. */
  isRemade: boolean;
  /** Where rows changed, by table; undefined for a table of which the log does not tell. */
  tables: Map<string, KeySpan[] | undefined>;
  /** Up to here it was read. */
  end: BinlogPosition;
}

interface Entry {
  file: string;
  offset: number;
  database: string;
  /** Undefined for a statement, which may have changed anything in the databases that it names. */
  table: string | undefined;
  /** Those; its text may be of many megabytes. */
  mentions?: ReadonlySet<string>;
  spans: KeySpan[] | undefined;
}

const [QUERY, ROTATE, FORMAT, TABLE_MAP] = [2, 4, 15, 19];
const ROWS = new Map([
  [23, { isUpdate: false, isLong: false }],
  [24, { isUpdate: true, isLong: false }],
  [25, { isUpdate: false, isLong: false }],
  [30, { isUpdate: false, isLong: true }],
  [31, { isUpdate: true, isLong: true }],
  [32, { isUpdate: false, isLong: true }],
]);
/** Of these nothing can be told without reading them as nobody asked them to be written (log_bin_compress). */
const COMPRESSED = new Set([165, 166, 167, 168, 169, 170, 171]);
const HEAD_BYTES = 19;
const MOST_SPANS = 256;
/** More of one table are looked for where they are. */
const MOST_TOLD = 10_000;
const MOST_ENTRIES = 100_000;
/** More at once would fill the memory: whoever asks looks at all rows instead. */
const MOST_ENTRIES_AT_ONCE = 1_000_000;
/** How databases of sites and those beside them are called. */
const NAMES_OF_SITES = /(?<![\w$])site_[0-9a-z]{32}(?:_[0-9a-z]{1,20})?(?![\w$])/g;
const FATAL = 1236;

/** All that was read of a server's log, for all of its sites: each part of it is read once. */
export class Binlog {
  readonly #address: ServerAddress;
  readonly #account: Account;
  #entries: Entry[] = [];
  /** How many spans of each table there are among these. */
  #told = new Map<string, number>();
  #start: BinlogPosition | undefined;
  #end: BinlogPosition | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(address: ServerAddress, account: Account) {
    this.#address = address;
    this.#account = account;
  }

  /**
   * What changed in a database after the one place, up to the other one or the end of the log. Undefined where the log does
   * not reach back so far, or is another one.
   */
  changes(database: string, from: BinlogPosition, to?: BinlogPosition): Promise<LoggedChanges | undefined> {
    // One after the other: all of them read on where the last one ended.
    const asked = this.#reading.then(async () => {
      const entries = await this.#read(from, to);
      return entries && this.#summary(database, entries, from, to);
    });
    this.#reading = asked.catch(() => {});
    return asked;
  }

  async #read(from: BinlogPosition, to: BinlogPosition | undefined): Promise<Entry[] | undefined> {
    const isKnown = this.#start && isSameFileOrOther(this.#start, from) && !isBefore(from, this.#start);
    if (!isKnown || (this.#end && isBefore(this.#end, from))) {
      this.#forget();
      this.#start = from;
      this.#end = from;
    }
    const end = this.#end as BinlogPosition;
    if (to && !isBefore(end, to)) return this.#entries;
    try {
      await this.#readOn(end, to);
    } catch (error) {
      this.#forget();
      this.#start = undefined;
      this.#end = undefined;
      if (error instanceof LostPlace || (error instanceof BinlogFailure && error.code === FATAL)) return undefined;
      throw error;
    }
    const entries = this.#entries;
    if (entries.length > MOST_ENTRIES) {
      this.#forget();
      this.#start = this.#end;
    }
    return entries;
  }

  #forget(): void {
    this.#entries = [];
    this.#told.clear();
  }

  async #readOn(from: BinlogPosition, to: BinlogPosition | undefined): Promise<void> {
    let { file, begunAt } = from;
    let offset = from.offset;
    let tables = new Map<number, LoggedTable>();
    for await (const event of readBinlog(this.#address, this.#account, from)) {
      const kind = event[4] as number;
      const body = event.subarray(HEAD_BYTES);
      const next = event.readUInt32LE(13);
      if (kind === ROTATE) {
        const name = body.toString('utf8', 8);
        if (name !== file) [file, begunAt, offset, tables] = [name, undefined, 4, new Map()];
      } else if (kind === FORMAT) {
        const made = event.readUInt32LE(0);
        if (begunAt !== undefined && begunAt !== made) throw new LostPlace();
        begunAt = made;
      } else if (kind === TABLE_MAP) {
        const { id, table } = parseTable(body);
        tables.set(id, table);
      } else if (ROWS.has(kind)) {
        const table = tables.get(body.readUIntLE(0, 6));
        const form = ROWS.get(kind) as { isUpdate: boolean; isLong: boolean };
        if (table)
          this.#entries.push({ file, offset: next, ...nameOf(table), spans: this.#spansOf(body, table, form) });
        if (this.#entries.length > MOST_ENTRIES_AT_ONCE) throw new LostPlace();
      } else if (kind === QUERY) this.#addStatement(body, file, next);
      else if (COMPRESSED.has(kind)) throw new LostPlace();
      // Events that the server makes up for us stand nowhere.
      if (next > 0 && kind !== ROTATE && kind !== FORMAT) offset = next;
      this.#end = { file, offset, begunAt };
      if (to && !isBefore(this.#end, to)) return;
    }
  }

  /** Of a table with so many changes nobody tells where they were, and nothing of them is kept. */
  #spansOf(body: Buffer, table: LoggedTable, form: { isUpdate: boolean; isLong: boolean }): KeySpan[] | undefined {
    const name = `${table.database}.${table.name}`;
    const told = this.#told.get(name) ?? 0;
    if (told >= MOST_TOLD) return undefined;
    const spans = spansOf(body, table, form);
    this.#told.set(name, told + (spans?.length ?? 0));
    return spans;
  }

  /** In ROW format only statements that make tables come as they are; they may name a database that they do not use. */
  #addStatement(body: Buffer, file: string, offset: number): void {
    const nameLength = body[8] as number;
    const at = 13 + body.readUInt16LE(11);
    const used = body.toString('utf8', at, at + nameLength);
    const sql = body.toString('utf8', at + nameLength + 1);
    if (/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT\b.*|XA .*)$/i.test(sql)) return;
    const numbered = OUR_NUMBERS.exec(sql)?.[1];
    if (numbered !== undefined)
      this.#entries.push({ file, offset, database: used, table: numbered.replaceAll('``', '`'), spans: [] });
    else {
      const mentions = new Set(sql.match(NAMES_OF_SITES));
      this.#entries.push({ file, offset, database: used, table: undefined, mentions, spans: undefined });
    }
  }

  #summary(
    database: string,
    entries: readonly Entry[],
    from: BinlogPosition,
    to: BinlogPosition | undefined,
  ): LoggedChanges {
    const tables: LoggedChanges['tables'] = new Map();
    let isRemade = false;
    let last: string | undefined;
    for (const entry of entries) {
      if (!isBefore(from, entry) || (to && isBefore(to, entry))) continue;
      const { table, spans } = entry;
      if (entry.database !== database && !entry.mentions?.has(database)) continue;
      last = `${entry.file}:${entry.offset}`;
      if (table === undefined) isRemade = true;
      else {
        const known = tables.has(table) ? tables.get(table) : [];
        tables.set(table, spans && known && known.length < MOST_TOLD ? known : undefined);
        if (spans) known?.push(...spans);
      }
    }
    const end = this.#end as BinlogPosition;
    if (!to || !isBefore(to, end)) return { last, isRemade, tables, end };
    const begunAt = [end, from].find(({ file }) => file === to.file)?.begunAt;
    return { last, isRemade, tables, end: { ...to, begunAt } };
  }
}

/** The log is not the one that the place is in. */
class LostPlace extends Error {}

/** How a restore sets the next number of a table: it changes no row. */
const OUR_NUMBERS = /^ALTER TABLE `((?:[^`]|``)+)` AUTO_INCREMENT = \d+$/;

function nameOf({ database, name }: LoggedTable) {
  return { database, table: name };
}

function spansOf(
  body: Buffer,
  table: LoggedTable,
  form: { isUpdate: boolean; isLong: boolean },
): KeySpan[] | undefined {
  let keys: bigint[] | undefined;
  try {
    keys = keysOfRows(body, table, form);
  } catch (error) {
    // Values of a type that we do not know: then all rows are looked at.
    if (!(error instanceof RangeError)) throw error;
  }
  if (!keys) return undefined;
  const sorted = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (sorted.length > MOST_SPANS) return [{ first: [first], last: [last] }];
  return sorted.map((key) => ({ first: [key], last: [key] }));
}

export function isBefore(a: BinlogPosition, b: BinlogPosition): boolean {
  if (a.file === b.file) return a.offset < b.offset;
  const number = ({ file }: BinlogPosition) => Number(file.slice(file.lastIndexOf('.') + 1));
  return number(a) < number(b);
}

/** Two places of one file are of one time. */
function isSameFileOrOther(a: BinlogPosition, b: BinlogPosition): boolean {
  return a.file !== b.file || a.begunAt === undefined || b.begunAt === undefined || a.begunAt === b.begunAt;
}

const known = new Map<string, Binlog>();

/** The one of this process. */
export function binlogOf(address: ServerAddress, account: Account): Binlog {
  const name = JSON.stringify([address, account]);
  let binlog = known.get(name);
  if (!binlog) {
    binlog = new Binlog(address, account);
    known.set(name, binlog);
  }
  return binlog;
}
