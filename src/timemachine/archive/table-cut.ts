import { setImmediate as otherWork, setTimeout as sleep } from 'node:timers/promises';
import type { SiteWriter } from '../repository.ts';
import type { Skipped } from '../snapshot.ts';
import type { TableReader, TableSource } from '../tables/table-source.ts';
import { storeTable, type TableState } from './table-archive.ts';

const BUSY_ATTEMPTS = 40;
const BUSY_WAIT_MS = 100;

/** The tables of one cut. */
export interface TablesResult {
  states: Map<string, TableState>;
  saved: string[];
  skipped: Skipped[];
  version: string | undefined;
}

/**
 * Stores every table that a reader sees. `known` are the tables as last stored, whose ranges are kept; `before` are those of
 * the snapshot before, by which it is told what this one saved.
 */
export async function storeTables(
  reader: TableReader | undefined,
  known: ReadonlyMap<string, TableState> | undefined,
  before: { tables: ReadonlyMap<string, TableState>; tablesVersion: string | undefined } | undefined,
  writer: SiteWriter,
): Promise<TablesResult> {
  const result: TablesResult = {
    states: new Map(),
    saved: [],
    skipped: [...(reader?.skipped ?? [])],
    version: reader?.version,
  };
  if (!reader) return result;
  const since = before?.tablesVersion;
  const changed = since === undefined ? undefined : reader.changedSince?.(since);
  for (const table of reader.tables) {
    const { name } = table;
    const old = known?.get(name);
    const isSame = (since !== undefined && reader.version === since) || (changed && !changed.has(name));
    const state = old && isSame ? old : await drive(storeTable(reader, table, old, changed?.get(name), writer), writer);
    result.states.set(name, state);
    if (state.ref === before?.tables.get(name)?.ref) result.skipped.push({ name, reason: 'unchanged' });
    else result.saved.push(name);
  }
  return result;
}

/** Waits for its turn where somebody else holds the database. */
export async function openReader(tables: TableSource): Promise<TableReader> {
  for (let attempt = 1; ; attempt++) {
    try {
      return tables.open();
    } catch (error) {
      if (attempt >= BUSY_ATTEMPTS || !tables.isBusy?.(error)) throw error;
      await sleep(BUSY_WAIT_MS);
    }
  }
}

/** Lets the work go on in slices; between them packs are written and the process does its other work. */
export async function drive<T>(work: Generator<void, T>, writer: SiteWriter): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (writer.isFull) await writer.flushFull();
    else await otherWork();
  }
}
