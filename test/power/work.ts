import { createHash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { copySite, firstContent, newSpec, request, wp } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';
import type { SiteSpec } from '../../src/runtimes/runtime.ts';
import { signRequest } from '../../src/runtimes/wordpress/access.ts';
import { keepRules } from '../../src/runtimes/wordpress/keep-rules.ts';
import { TimeMachine } from '../../src/timemachine/process/time-machine.ts';
import type { Entry } from './ledger.ts';

/**
 * A busy hour on the platform, for the record: people write posts and upload files, sites are made, put aside, brought back and
 * deleted, backups are taken and one is restored, all at once. Arguments: the folder, the file for the ledger, how much.
 */
const [dataDir = '', ledgerFile = '', amount = '1'] = process.argv.slice(2);
const ROUNDS = Number(amount);
const ledger = openSync(ledgerFile, 'a');

const note = (entry: Entry) => writeSync(ledger, `${JSON.stringify(entry)}\n`);

async function promise<T>(thing: string, value: string | null, work: () => Promise<T>): Promise<T> {
  note({ event: 'begun', thing, value });
  const result = await work();
  note({ event: 'done', thing, value });
  return result;
}

const { runtime } = await openTestRuntime({
  // Paths are told by their names, which a sandbox changes; what reaches the disk is the same.
  sandbox: 'none',
  dataDir,
  requestTimeoutMs: 120_000,
});
const timeMachine = new TimeMachine({ store: { kind: 'disk', folder: join(dataDir, 'backups') }, processes: 1 });
const ground = await runtime.prepared();

async function makeSite(host: string): Promise<SiteSpec> {
  const site = newSpec(ground, host);
  await promise(`site ${site.id}`, 'here', () => runtime.create(site, firstContent(host)));
  return site;
}

async function ask(site: SiteSpec, method: string, path: string, type: string, body: string | Buffer) {
  const headers = {
    'content-type': type,
    'content-disposition': 'attachment; filename="file.txt"',
    'x-siteyard-as-administrator': '1',
    ...signRequest(site, { method, path, body }),
  };
  const answer = await request(runtime, site, { method, path, headers, body: String(body) });
  if (answer.status >= 300)
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return JSON.parse(answer.text) as { id: number; source_url?: string };
}

/** Posts are written, every third one changed and every sixth one deleted again. */
async function writePosts(site: SiteSpec): Promise<void> {
  const path = '/wp-json/wp/v2/posts';
  const save = (title: string, version: number, to = path) => {
    const body = JSON.stringify({ title, status: 'publish', content: `version ${version} ${'words '.repeat(500)}` });
    return promise(`post ${site.id} ${title}`, `version ${version}`, () =>
      ask(site, 'POST', to, 'application/json', body),
    );
  };
  for (let number = 0; number < 6 * ROUNDS; number++) {
    const { id } = await save(`Post ${number}`, 1);
    if (number % 3 === 2) await save(`Post ${number}`, 2, `${path}/${id}`);
    if (number % 6 === 5)
      await promise(`post ${site.id} Post ${number}`, null, () =>
        ask(site, 'DELETE', `${path}/${id}?force=true`, 'application/json', ''),
      );
    if (number % 3 === 0) await upload(site, number);
  }
}

async function upload(site: SiteSpec, number: number): Promise<void> {
  const text = `file ${number} `.repeat(3_000);
  const { source_url: url } = await ask(site, 'POST', '/wp-json/wp/v2/media', 'text/plain', text);
  const value = createHash('sha256').update(text).digest('hex');
  // Its name was WordPress' choice, so it is known only now.
  note({ event: 'done', thing: `file ${site.id} ${url?.split('/wp-content/')[1]}`, value });
}

async function moveSites(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const kept = await makeSite(`kept${round}.localhost`);
    const moved = await makeSite(`moved${round}.localhost`);
    const thing = `site ${moved.id}`;
    await promise(thing, 'put aside', () => runtime.archive(moved.id));
    await promise(thing, 'here', () => runtime.unarchive(moved.id));
    // On the way anything may be left of it.
    note({ event: 'begun', thing, value: 'going' });
    await promise(thing, null, () => runtime.delete(moved.id));
    const copy = newSpec(ground, `copy${round}.localhost`);
    await promise(`site ${copy.id}`, 'here', () => copySite(runtime, kept, copy));
  }
}

const placeOf = (site: SiteSpec) => ({
  space: 'team',
  site: site.id,
  ...runtime.storage(site.id),
  rules: keepRules('wp_'),
  isSuspect: false,
  recorded: null,
});

async function takeBackups(site: SiteSpec): Promise<void> {
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const { newest } = await timeMachine.snapshot(placeOf(site));
    note({ event: 'done', thing: `backup ${site.id} ${newest.hash}`, value: 'stored' });
  }
}

/** The platform itself changes a site's database, and the time machine brings the change back. */
async function restoreBackups(site: SiteSpec): Promise<void> {
  const set = async (value: string) => {
    const database = await runtime.database(site.id);
    await database
      .query("update wp_options set option_value = ? where option_name = 'blogdescription'", value)
      .finally(() => database.close());
  };
  const thing = `option ${site.id} blogdescription`;
  note({ event: 'done', thing, value: '' });
  for (let round = 0; round < ROUNDS; round++) {
    await promise(thing, `before ${round}`, () => set(`before ${round}`));
    const { newest } = await timeMachine.snapshot(placeOf(site));
    await promise(thing, `after ${round}`, () => set(`after ${round}`));
    const wish = { point: newest, files: true, tables: true, deleteExtraFiles: true };
    await promise(thing, `before ${round}`, () => timeMachine.restore(placeOf(site), wish));
  }
}

async function runCommands(site: SiteSpec): Promise<void> {
  note({ event: 'done', thing: `option ${site.id} blogdescription`, value: '' });
  for (let round = 0; round < ROUNDS - 1; round++) {
    await promise(`option ${site.id} blogdescription`, `command ${round}`, async () => {
      const { exitCode, stderr } = await runtime.exec(
        site,
        wp('option', 'update', 'blogdescription', `command ${round}`),
      );
      if (exitCode !== 0) throw new Error(stderr);
    });
  }
}

const [written, restored] = [await makeSite('written.localhost'), await makeSite('restored.localhost')];
await Promise.all([
  writePosts(written),
  takeBackups(written),
  runCommands(written),
  restoreBackups(restored),
  moveSites(),
]);
await timeMachine.close();
await runtime.close();
