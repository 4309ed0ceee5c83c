import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mariadb';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { KeySpan, TableDescription, TableReader, TableSource } from '../../tables/table-source.ts';
import { type BinlogPosition, binlogOf, isBefore, type LoggedChanges } from './binlog.ts';
import { isBusy, openConnection, unreadableDatabase } from './mariadb-connection.ts';
import { MariadbRows, RowTooBig } from './mariadb-rows.ts';
import { type Described, type MariadbSchema, readSchema, readSequences } from './mariadb-schema.ts';

export interface MariadbSourceOptions {
  isTracked?: (name: string) => boolean;
  /** Tables without which it is not the database that it should be. */
  needed?: readonly string[];
}

/** Up to where the log was looked at, and what the database was called there. */
interface Seen {
  version: string;
  position: BinlogPosition;
}

/** What changed from one version to the next. */
interface Step {
  from: string;
  to: string;
  tables: ReadonlyMap<string, readonly KeySpan[] | undefined> | undefined;
}

const MOST_STEPS = 64;
const LATE_ATTEMPTS = 100;
const LATE_MS = 10;

/**
 * The tables of a live database. A reader is one transaction, as of one instant, that holds up nobody who writes; the server
 * tells which place of its log of changes that instant is. What changed since the last one is read in that log. The database is
 * another one only when something in the log concerns it, whatever other sites do.
 */
export class MariadbSource implements TableSource {
  readonly #description: MariadbDescription;
  readonly #isTracked: (name: string) => boolean;
  readonly #needed: readonly string[];
  #seen: Seen | undefined;
  #steps: Step[] = [];
  #described: Described | undefined;
  #stale = new Set<string>();

  constructor(description: MariadbDescription, options: MariadbSourceOptions = {}) {
    this.#description = description;
    this.#isTracked = options.isTracked ?? (() => true);
    this.#needed = options.needed ?? [];
  }

  async version(): Promise<string | undefined> {
    if (!this.#seen) return undefined;
    await this.#advance(undefined);
    return this.#seen?.version;
  }

  async open(): Promise<TableReader> {
    const connection = await openConnection(this.#description);
    try {
      await this.#advance(await this.#begin(connection));
      const version = this.#seen?.version;
      const { tables, skipped } = await this.#describe(connection);
      const missing = this.#needed.filter((needed) => ![...tables, ...skipped].some(({ name }) => name === needed));
      if (missing.length > 0) throw unreadableDatabase(`it has no table ${missing.join(' and no ')}`);
      const rows = new MariadbRows(connection);
      return {
        version,
        tables,
        skipped,
        changedSince: async (since) => this.#changedSince(since, version),
        read: (table, from, to) => rows.read(table, from, to),
        cut: (table, from, to, size) => rows.cut(table, from, to, size),
        reasonToSkip: (error) => (error instanceof RowTooBig ? error.message : undefined),
        close: () => end(connection),
      };
    } catch (error) {
      await end(connection);
      throw error;
    }
  }

  isBusy(error: unknown): boolean {
    return isBusy(error);
  }

  knowledge(version: string | undefined): unknown {
    return this.#seen && this.#seen.version === version ? this.#seen : undefined;
  }

  recall(knowledge: unknown): void {
    // What is known of the site may be from when its database was of another kind.
    const { version, position } = (knowledge ?? {}) as Partial<Seen>;
    if (version !== undefined && position !== undefined) this.#seen = { version, position };
  }

  async close(): Promise<void> {}

  /** A change is in the log a moment before it is in the tables: an instant before what was read of the log is none to use. */
  async #begin(connection: Connection): Promise<BinlogPosition> {
    for (let attempt = 0; ; attempt++) {
      const position = await begin(connection);
      if (!this.#seen || !isBefore(position, this.#seen.position) || attempt >= LATE_ATTEMPTS) return position;
      await sleep(LATE_MS);
    }
  }

  /** Reads the log up to there, or to its end. */
  async #advance(to: BinlogPosition | undefined): Promise<void> {
    const { server, binlog, name } = this.#description;
    const before = this.#seen;
    const isGoingOn = before && binlog && !(to && isBefore(to, before.position));
    const changes = isGoingOn && (await binlogOf(server, binlog).changes(name, before.position, to));
    if (before && changes && !changes.last) this.#seen = { version: before.version, position: changes.end };
    else if (before && changes) this.#step(before, changes);
    else {
      // The log does not reach back to where we were. Without an instant to go on from, the next reader brings one.
      this.#described = undefined;
      this.#steps = [];
      this.#seen = to && { version: `anew-${randomBytes(8).toString('hex')}`, position: to };
    }
  }

  #step(before: Seen, { last, isRemade, tables, end }: LoggedChanges): void {
    const version = `${last}`;
    if (isRemade) this.#described = undefined;
    for (const name of tables.keys()) this.#stale.add(name);
    this.#steps.push({ from: before.version, to: version, tables: isRemade ? undefined : tables });
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
    this.#seen = { version, position: end };
  }

  #changedSince(since: string | undefined, version: string | undefined): TableChangesSince {
    const first = this.#steps.findIndex(({ from }) => from === since);
    const last = this.#steps.findLastIndex(({ to }) => to === version);
    if (first < 0 || last < first) return undefined;
    const changed = new Map<string, KeySpan[] | undefined>();
    for (const { tables } of this.#steps.slice(first, last + 1)) {
      if (!tables) return undefined;
      for (const [name, spans] of tables) {
        const known = changed.has(name) ? changed.get(name) : [];
        changed.set(name, known && spans && [...known, ...spans]);
      }
    }
    return changed;
  }

  /** What tables are made of is read again only when a statement may have changed that. */
  async #describe(connection: Connection): Promise<Described> {
    const { name } = this.#description;
    if (!this.#described) this.#described = await readSchema(connection, name, this.#isTracked);
    else {
      const described = this.#described;
      const next = await readSequences(connection, name, [...this.#stale]);
      const tables = described.tables.map((table): TableDescription => {
        const sequence = next.get(table.name);
        const schema = table.schema as MariadbSchema;
        return sequence === undefined || sequence === schema.sequence
          ? table
          : { ...table, schema: { ...schema, sequence } };
      });
      for (const table of described.tables) this.#isTracked(table.name);
      this.#described = { ...described, tables };
    }
    this.#stale.clear();
    return this.#described;
  }
}

type TableChangesSince = ReadonlyMap<string, readonly KeySpan[] | undefined> | undefined;

/** The instant, and its place in the log. */
async function begin(connection: Connection): Promise<BinlogPosition> {
  await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  const rows = (await connection.query("SHOW STATUS LIKE 'binlog_snapshot_%'")) as {
    Variable_name: string;
    Value: string;
  }[];
  const statusOf = (name: string) => rows.find((row) => row.Variable_name.toLowerCase() === name)?.Value ?? '';
  return { file: statusOf('binlog_snapshot_file'), offset: Number(statusOf('binlog_snapshot_position')) };
}

async function end(connection: Connection): Promise<void> {
  await connection.end().catch(() => connection.destroy());
}
