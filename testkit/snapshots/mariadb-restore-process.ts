import { join } from 'node:path';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { Repository } from '#timemachine/repository.ts';
import { planRestore, restore } from '#timemachine/restore/restorer.ts';
import { databaseOf } from '#timemachine/sources/open-database.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';

/** A process that takes a snapshot and then restores the one that it is told; made to be killed. */
const { folder, hash, site, description } = JSON.parse(process.argv[2] ?? '');
const content = join(folder, 'content');
const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', site);
const database = databaseOf(description);
const source = database.source(() => true);
const target = await database.openTarget();
const archiver = new Archiver({ repository, folder: content, tables: source });
const now = await archiver.snapshot();
const id = (await repository.snapshots()).find((each) => each.hash === hash);
if (!id) throw new Error(`There is no snapshot ${hash}`);
const plan = await planRestore(repository, now.snapshot, await repository.readSnapshot(id), { deleteExtraFiles: true });
process.stdout.write('restoring\n');
const tables = { target, source, version: now.tablesVersion };
await restore(plan, { repository, folder: content, staging: join(folder, 'staging'), tables });
await target.close();
