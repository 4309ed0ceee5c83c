import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUpInstances, findUnknownFiles } from '#features/instance/clean-up.jobs.ts';
import type { Template } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { CMS, newFqdn } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { tarGz } from '#testkit/archives/pack.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { makeRepository } from '#testkit/git/repository.ts';
import { Random, SEED } from '#testkit/random.ts';
import { MortalPlatform, WAYS, type Way } from './mortal-platform.ts';

/**
 * Kills the platform, its processes or both while templates with a demo are made, made anew and deleted, and while sites are imported. In
 * the end each is there as a whole or not at all, names are free again, and the disk has what the tables know and nothing else.
 *
 *   KILLS=24 npm test -- test/kill/template-kill
 */
const KILLS = Number(process.env.KILLS ?? 3);
const WAIT_MS = 120_000;
const archive = tarGz([
  { name: 'content/themes/plain/style.css', data: '/*\nTheme Name: Plain\n*/' },
  { name: 'content/uploads/photo.txt', data: 'a photo' },
  { name: 'database.sql', data: dumpOf({ title: 'A template' }) },
]);

let platform: MortalPlatform;
let person: Person;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-template-kill-'));
  await makeRepository(join(folder, 'shop.git'), { 'site.tar.gz': archive });
  platform = await MortalPlatform.create();
  platform.env.GIT_FILE_ROOTS = folder;
  await platform.start();
  person = await registerPerson({ url: platform.url } as TestApp, 'Maker', { verified: false });
  await platform.rows('update users set is_verified = true');
  await platform.rows("update teams set additional_sites = 200, plan_type_name = 'business'");
});
after(async () => {
  await platform?.destroy();
  await rm(folder, { recursive: true, force: true });
});

const WORKS = ['make', 'import', 'renew', 'delete'] as const;
const params = { template_name: 'shop' };

test(`after ${KILLS} kills every template and every import is whole or not there, and nothing is left over (seed ${SEED})`, {
  timeout: 180_000 + KILLS * 60_000,
}, async (t) => {
  const random = new Random(SEED);
  const outcomes: Record<string, number> = {};
  for (let kill = 0; kill < KILLS; kill++) {
    const work = WORKS[kill % WORKS.length] as (typeof WORKS)[number];
    // What is to be made anew or deleted has to be there, and what is to be made must not.
    if (work === 'make') await removeAll();
    else if (work !== 'import' && !(await find())) await make();
    await throughKill(random, WAYS[kill % WAYS.length] as Way, work);
    await everythingEnds();
    const template = await find();
    if (template) await isWhole(template);
    const outcome = `${work}: ${template ? 'there' : 'gone'}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (work === 'renew') assert.ok(template, 'one that was there is there still');
  }
  t.diagnostic(JSON.stringify(outcomes));
  await removeAll();
  assert.equal((await make()).name, 'shop', 'its name is free again');
  await importsAreWhole();
  const fqdn = newFqdn();
  await person.api.createSite({ wait: 60, body: { ...CMS, fqdn, team_id: person.teamId, ...params } });
  assert.match((await visit(platform, fqdn, '/')).text, /A post; of seven/);
  assert.equal(await platform.stop(), 0, platform.output());
  await nothingIsLeft();
});

function make(): Promise<Template> {
  const body = { url: `file://${folder}/shop.git`, description: 'A shop', tag: 'business', is_public: false } as const;
  return person.api.createTemplate({ wait: 60, query: { create_static_site: true }, body });
}

function begin(work: (typeof WORKS)[number]): Promise<unknown> {
  if (work === 'make') return make();
  if (work === 'renew') return person.api.updateTemplate({ params, query: { update_git: true }, body: {} });
  if (work === 'delete') return person.api.deleteTemplate({ params });
  return person.api.importSite({ query: { fqdn: newFqdn(), team_id: person.teamId }, body: new Blob([archive]) });
}

async function throughKill(random: Random, way: Way, work: (typeof WORKS)[number]): Promise<void> {
  const begun = begin(work).catch(() => {});
  await sleep(random.below(2_500));
  await platform.kill(way);
  await begun;
  if (way !== 'processes of the time machine') await platform.start();
}

const find = () => person.api.getTemplate({ params }).catch(() => undefined);

async function removeAll(): Promise<void> {
  const { results } = await person.api.listTemplates({ query: { size: 100 } });
  for (const { name } of results) await person.api.deleteTemplate({ params: { template_name: name } });
}

/** Neither a job nor an event nor a site is still at it. */
async function everythingEnds(): Promise<void> {
  await eventually(async () => {
    // Retries are minutes apart in the end, for which nobody waits here.
    await platform.rows(
      "update jobs.job set start_after = now() where start_after > now() + interval '1 second' and state = 'retry'",
    );
    const open = await platform.rows(`select id from events where finished_at is null
      union all select id from templates where working_event_id is not null union all select id from sites where busy is not null`);
    return open.length === 0;
  }, WAIT_MS);
}

/** It makes sites, and its demo opens. */
async function isWhole(template: Template): Promise<void> {
  assert.equal(template.ready, true);
  const { hostname, pathname, search } = new URL(String(template.demo_url));
  const opened = await visit(platform, hostname, `${pathname}${search}`);
  const cookie = String(opened.headers['set-cookie']).split(';')[0] as string;
  const page = await visit(platform, hostname, '/', { headers: { cookie } });
  assert.deepEqual([page.status, /A post; of seven/.test(page.text)], [200, true]);
}

async function importsAreWhole(): Promise<void> {
  for (const { fqdn } of await platform.rows('select fqdn from sites')) {
    const page = await visit(platform, String(fqdn), '/wp-content/uploads/photo.txt');
    assert.deepEqual([page.status, page.text], [200, 'a photo'], String(fqdn));
  }
}

const DAY_AGO = new Date(Date.now() - 25 * 3_600_000);
const listed = (...path: string[]) => {
  try {
    return readdirSync(join(platform.dataDir, ...path));
  } catch {
    return [];
  }
};
const idsOf = async (text: string) => (await platform.rows(text)).map(({ id }) => String(id)).sort();

/** What the hourly and daily work removes is removed, as if its time had come; then the disk is compared with the tables. */
async function nothingIsLeft(): Promise<void> {
  for (const name of listed('imports')) utimesSync(join(platform.dataDir, 'imports', name), DAY_AGO, DAY_AGO);
  const env = { ...platform.env, PORT: '0', BASE_URL: platform.url };
  const app = await startTestApp({ databaseUrl: String(platform.env.DATABASE_URL), env });
  try {
    const job = { services: app.services } as never;
    await findUnknownFiles.run({}, job);
    await platform.rows('update sites_to_remove set due_at = now()');
    await cleanUpInstances.run({}, job);
    await platform.rows("update jobs.job set start_after = now() where state = 'created'");
    const templates = await idsOf('select content_id as id from templates');
    await eventually(async () => {
      const cuts = listed('shared-cuts').map((name) => name.slice(0, 36));
      return JSON.stringify(cuts.sort()) === JSON.stringify(templates);
    }, WAIT_MS);
    const known = new Set([...templates, ...(await idsOf('select id from sites'))]);
    await eventually(async () => sitesWithSnapshots().every((id) => known.has(id)), WAIT_MS).catch(() =>
      assert.deepEqual(
        sitesWithSnapshots().filter((id) => !known.has(id)),
        [],
        'these snapshots are nobody’s',
      ),
    );
    assert.deepEqual(listed('sites').sort(), await idsOf('select id from sites'));
    const archived = await app.services.hosts.inspect(app.services.config.newSites, {
      sizeBytes: archive.length,
      read: async (offset, length) => archive.subarray(offset, offset + length),
    });
    assert.deepEqual([archived.plugins, listed('imports')], [[], []]);
    assert.deepEqual(listed('uploads'), []);
  } finally {
    await app.close();
  }
}

/** The folders of what was forgotten stay, and are empty. */
function sitesWithSnapshots(): string[] {
  const files = readdirSync(join(platform.dataDir, 'backups', 'owners'), { recursive: true, withFileTypes: true });
  const sites = files
    .filter((file) => file.isFile())
    .map((file) => /\/sites\/([^/]+)\/snapshots/.exec(file.parentPath)?.[1]);
  return [...new Set(sites.filter((id) => id !== undefined))];
}
