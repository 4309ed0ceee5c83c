import { rm } from 'node:fs/promises';
import { giveFolder } from '#core/file-owner.ts';
import { type KeptState, readState, writeState } from '../archive/state-file.ts';
import type { OnProgress } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { stateOfCopy } from '../restore/copy-known.ts';
import { restoreInto } from '../restore/restore-into.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Database } from '../sources/database.ts';
import { convertInto, isForeign } from '../sources/kinds/convert-tables.ts';
import { databaseOf } from '../sources/open-database.ts';
import { diskOperations } from '../stores/file-operations.ts';
import type { CopyPlace, SnapshotName } from './protocol.ts';

/**
 * Makes a copy of a site as it was. What the site still has of that is taken from it, which a file system may share, and the
 * rest of what is stored. The first snapshot of the copy then costs what is changed in it, and not the whole site once more.
 */
export async function copySite(
  from: SiteRepository,
  now: CopyPlace | null,
  point: SnapshotName,
  into: CopyPlace,
  onProgress: OnProgress,
): Promise<void> {
  const copiedAtMs = Date.now();
  const snapshot = await from.readNamed(point);
  const database = databaseOf(into.database);
  await rm(into.content, { recursive: true, force: true });
  await database.remove();
  const known = now && (await knownAt(now, point));
  await restoreInto(from, snapshot, {
    folder: into.content,
    known: known ? { folder: now.content, files: known.files } : undefined,
    onProgress,
  });
  const isSameKind = now?.database.kind === into.database.kind;
  const isCopied = known && isSameKind ? await databaseOf(now.database).copyKnown(known.knowledge, database) : false;
  if (isCopied) await dropOthers(database, snapshot);
  else await fillDatabase(from, snapshot, database, onProgress);
  // Before its times are written down, which this changes.
  if (into.owner !== undefined) giveFolder(into.content, into.owner);
  if (!known) return;
  await writeState(
    into.state,
    {
      of: { space: from.space, tables: snapshot.tables, copiedAtMs },
      files: stateOfCopy(known.files, into.content),
      fresh: [],
      lossName: '',
      tablesVersion: isCopied ? known.tablesVersion : undefined,
      knowledge: isCopied ? known.knowledge : undefined,
    },
    diskOperations,
  );
}

/** What is known of the site, where that is of the point. */
async function knownAt({ state }: CopyPlace, point: SnapshotName): Promise<KeptState | null> {
  const kept = await readState(state);
  return kept && 'snapshot' in kept.of && kept.of.snapshot === point.hash ? kept : null;
}

/** What no snapshot has is in no copy either. */
async function dropOthers(database: Database, { tables }: Snapshot): Promise<void> {
  const source = database.source(() => true);
  const target = await database.openTarget();
  try {
    const reader = await source.open();
    const others = reader.tables.filter(({ name }) => !Object.hasOwn(tables, name));
    await reader.close();
    if (others.length === 0) return;
    await target.transaction(async (changes) => {
      for (const { name } of others) await changes.drop(name);
      await changes.finish([]);
    });
  } finally {
    await target.close();
    await source.close();
  }
}

/** A new database with the tables of a snapshot. */
export async function fillDatabase(
  from: SiteRepository,
  snapshot: Pick<Snapshot, 'tables' | 'files'>,
  database: Database,
  onProgress: OnProgress,
): Promise<void> {
  if (await isForeign(from, snapshot, database)) {
    await convertInto(from, snapshot, database);
    return;
  }
  const tables = await database.openTarget();
  try {
    await restoreInto(from, snapshot, { tables, onProgress });
  } finally {
    await tables.close();
  }
}
