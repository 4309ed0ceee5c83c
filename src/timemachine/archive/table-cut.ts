import { setTimeout as sleep } from 'node:timers/promises';
import type { ProgressReport } from '../progress.ts';
import type { SiteWriter } from '../repository.ts';
import type { Skipped, Snapshot } from '../snapshot.ts';
import type { TableReader, TableSource } from '../tables/table-source.ts';
import { storeTable, type TableState } from './table-archive.ts';

const BUSY_ATTEMPTS = 40;
const BUSY_WAIT_MS = 100;

interface StoredTables {
  tables: ReadonlyMap<string, TableState>;
  tablesVersion: string | undefined;
}

/** The tables of one cut. */
export interface TablesResult {
  states: Map<string, TableState>;
  saved: string[];
  skipped: Skipped[];
  version: string | undefined;
}

/**
 * Stores every table that a reader sees. `known` are the tables as last stored, whose ranges are kept; `before` is the
 * snapshot before, by which it is told what this one saved.
 */
export async function storeTables(
  reader: TableReader | undefined,
  known: StoredTables | undefined,
  before: Snapshot | undefined,
  writer: SiteWriter,
  progress: ProgressReport,
): Promise<TablesResult> {
  const result: TablesResult = {
    states: new Map(),
    saved: [],
    skipped: [...(reader?.skipped ?? [])],
    version: reader?.version,
  };
  if (!reader) return result;
  progress.begin('tables', { tablesTotal: reader.tables.length });
  const since = known?.tablesVersion;
  const isUnchanged = since !== undefined && reader.version === since;
  const changed = isUnchanged ? new Map() : await reader.changedSince?.(since);
  for (const table of reader.tables) {
    const { name } = table;
    const old = known?.tables.get(name);
    const isSame = changed !== undefined && !changed.has(name);
    progress.add({ tables: 1 });
    let state = old && isSame ? old : undefined;
    try {
      state ??= await storeTable(reader, table, old, changed?.get(name), writer);
    } catch (error) {
      const reason = reader.reasonToSkip?.(error);
      if (reason === undefined) throw error;
      result.skipped.push({ name, reason });
      continue;
    }
    result.states.set(name, state);
    if (state.ref === before?.tables[name]) result.skipped.push({ name, reason: 'unchanged' });
    else result.saved.push(name);
  }
  progress.end();
  return result;
}

/** Waits for its turn where somebody else holds the database. */
export async function openReader(tables: TableSource): Promise<TableReader> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tables.open();
    } catch (error) {
      if (attempt >= BUSY_ATTEMPTS || !tables.isBusy?.(error)) throw error;
      await sleep(BUSY_WAIT_MS);
    }
  }
}
