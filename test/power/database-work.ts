import { createHash, randomBytes } from 'node:crypto';
import { openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/core/db/embedded-postgres.ts';
import { Archiver } from '../../src/timemachine/archive/archiver.ts';
import { Repository } from '../../src/timemachine/repository.ts';
import { DiskStore } from '../../src/timemachine/stores/disk.ts';
import type { Entry } from './ledger.ts';

/**
 * What the platform itself keeps, for the record: rows are written and changed by several at once, and backups are taken and then
 * written down, as the backup clock does. Arguments: the folder, the file for the ledger, how much. Tables and the site are there.
 */
const [dataDir = '', ledgerFile = '', amount = '1'] = process.argv.slice(2);
const ROWS = 25 * Number(amount);
const CUTS = 6 * Number(amount);
const ledger = openSync(ledgerFile, 'a');
const note = (entry: Entry) => writeSync(ledger, `${JSON.stringify(entry)}\n`);

const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
const connect = async () => {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  return client;
};

async function promise(thing: string, value: string, work: () => Promise<unknown>): Promise<void> {
  note({ event: 'begun', thing, value });
  await work();
  note({ event: 'done', thing, value });
}

async function writeRows(writer: number): Promise<void> {
  const client = await connect();
  for (let number = 0; number < ROWS; number++) {
    const [name, text] = [`${writer}-${number % 10}`, randomBytes(2_000).toString('hex')];
    const value = createHash('sha256').update(text).digest('hex');
    const upsert = 'insert into things values ($1, $2) on conflict (name) do update set text = excluded.text';
    await promise(`row ${name}`, value, () => client.query(upsert, [name, text]));
  }
  await client.end();
}

async function takeBackups(): Promise<void> {
  const client = await connect();
  const repository = new Repository(new DiskStore(join(dataDir, 'backups'))).site('team', 'site');
  const site = join(dataDir, 'site');
  const archiver = new Archiver({ repository, folder: site });
  for (let number = 0; number < CUTS; number++) {
    const text = randomBytes(20_000).toString('hex');
    writeFileSync(join(site, 'file.txt'), text);
    const { id } = await archiver.snapshot();
    const value = createHash('sha256').update(text).digest('hex');
    await promise(`backup ${id.hash}`, value, () => client.query('insert into kept values ($1, $2)', [id.hash, value]));
    // As by the clock, so that a cut may come into the middle of one.
    if (number % 4 === 3) await client.query('checkpoint').catch(() => {});
  }
  await client.end();
}

await Promise.all([writeRows(1), writeRows(2), writeRows(3), takeBackups()]);
await postgres.stop();
