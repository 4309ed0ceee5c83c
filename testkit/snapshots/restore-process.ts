import { join } from 'node:path';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { Repository } from '#timemachine/repository.ts';
import { planRestore, restore } from '#timemachine/restore/restorer.ts';
import { SqliteSource } from '#timemachine/sources/sqlite.ts';
import { SqliteTarget } from '#timemachine/sources/sqlite-target.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';

/** A process that takes a snapshot and then restores the one named by its second argument; made to be killed. */
const [folder = '', hash = ''] = process.argv.slice(2);
const site = join(folder, 'site');
const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
const source = new SqliteSource(join(folder, 'site.sqlite'));
const target = new SqliteTarget(join(folder, 'site.sqlite'));
const archiver = new Archiver({ repository, folder: site, tables: source });
const now = await archiver.snapshot();
const id = (await repository.snapshots()).find((each) => each.hash === hash);
if (!id) throw new Error(`There is no snapshot ${hash}`);
const plan = await planRestore(repository, now.snapshot, await repository.readSnapshot(id), { deleteExtraFiles: true });
process.stdout.write('restoring\n');
const tables = { target, source, version: now.tablesVersion };
await restore(plan, { repository, folder: site, staging: join(folder, 'staging'), tables });
await archiver.remember();
