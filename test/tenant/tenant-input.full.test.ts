import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { Random, SEED } from '#testkit/random.ts';
import { startTrickyNames, type TrickyNames } from '#testkit/servers/changing-dns-server.ts';
import { startUpstream, type Upstream } from '#testkit/servers/upstream.ts';
import { percentile } from '../../bench/load.ts';
import { MortalPlatform } from '../kill/mortal-platform.ts';
import { HostileTenant } from './inputs.ts';

/**
 * Whatever a tenant writes, the platform answers everybody else. The whole service, in its own process, is fed with what a site can write while
 * /healthz is asked all the time. The long form (`npm run fuzz:tenant`) writes as much as froze it once, several times, and tells the ratio.
 */
const ROUNDS = Number(process.env.FUZZ ?? 0);
const IS_LONG = ROUNDS > 0;
/** Nobody is kept for longer by what the process does; the machine may be busy otherwise. */
const LONGEST_MS = 3_000;
const GOAL = 3;
const FQDN = 'hostile.localhost';
const random = new Random(SEED);

let platform: MortalPlatform;
let names: TrickyNames;
let upstream: Upstream;
let api: Client;
let tenant: HostileTenant;
let siteId: string;
let prober: ChildProcess;
let quiet: number[];

before(async () => {
  names = await startTrickyNames((name, type) => (type === 'A' && name.endsWith('.example.com') ? ['127.0.0.1'] : []));
  upstream = await startUpstream(({ url }) => answers[url.pathname]);
  platform = await MortalPlatform.create();
  Object.assign(platform.env, { DNS_SERVERS: names.address, OUTBOUND_ALLOW: '127.0.0.0/8' });
  await platform.start();
  const body = { username: 'admin@localhost', password: 'operator-password' };
  const { access_token: token } = await createClient({ baseUrl: platform.url }).signIn({ body });
  api = createClient({ baseUrl: platform.url, token });
  const team_id = (await api.listTeams()).results[0]?.id as string;
  await api.createSite({ wait: 60, body: { ...CMS, fqdn: FQDN, team_id } });
  siteId = (await api.getSite({ params: { fqdn: FQDN } })).id;
  const fqdn = `blog.example.com:${upstream.port}`;
  await api.createApplicationPassword({ body: { fqdn, username: 'ada', password: 'secret-password', team_id } });
  tenant = new HostileTenant(join(platform.dataDir, 'sites', siteId), random, IS_LONG ? 1 : 0.05);
  prober = fork(join(import.meta.dirname, 'prober.ts'), [`${platform.url}/healthz`]);
  await once(prober, 'message');
  // Who asks for all this is elsewhere; here it must not be in the way of those who look.
  setPriority(10);
  await sleep(500);
  quiet = await whileAsked(() => sleep(IS_LONG ? 10_000 : 1_000));
});
after(async () => {
  prober?.disconnect();
  await platform?.destroy();
  await Promise.all([names?.close(), upstream?.close()]);
});

const json = { 'content-type': 'application/json' };
const answers: Record<string, { headers: Record<string, string>; body: string }> = {
  '/wp-json/objects': { headers: json, body: `[${'{},'.repeat(3_300_000)}{}]` },
  '/wp-json/names': { headers: json, body: `{${Array.from({ length: 600_000 }, (_, n) => `"k${n}":{}`).join()}}` },
  '/wp-json/deep': { headers: json, body: '['.repeat(9_000_000) },
  '/wp-json/text': { headers: { 'content-type': 'text/plain' }, body: '"\\\n'.repeat(3_000_000) },
  '/wp-json/headers': {
    headers: { ...json, ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x-${n}`, 'h'.repeat(60)])) },
    body: '{}',
  },
};

/** How long each look at the platform took while the work went on, in milliseconds. */
async function whileAsked(work: () => Promise<unknown>): Promise<number[]> {
  await told();
  await work();
  return told();
}

/** What was seen since it was asked for last. */
async function told(): Promise<number[]> {
  if (!prober.connected) throw new Error('the prober ended');
  const ended = new AbortController();
  const end = () => ended.abort(new Error('the prober ended'));
  prober.once('exit', end);
  prober.send('tell');
  const [taken] = (await once(prober, 'message', { signal: ended.signal })) as [number[]];
  prober.off('exit', end);
  return taken;
}

const backups = async () =>
  platform.rows(
    'select created_at, pg_column_size(b.*) as bytes, octet_length(b::text) as letters from backups b where site_id = $1',
    [siteId],
  );

/** A backup of the site as it is now. */
async function backUp(): Promise<void> {
  const before = (await backups()).length;
  await platform.rows('update backup_clocks set touched_at = now(), due_at = now() where site_id = $1', [siteId]);
  await eventually(async () => (await backups()).length > before, 120_000);
}

const params = { fqdn: FQDN };
const lengthOf = (value: unknown) => JSON.stringify(value).length;

/** What the tenant writes, and what makes the platform read it. */
const works: Record<string, () => Promise<void>> = {
  async 'what is mailed'() {
    tenant.mails();
    const program = join(tenant.folder, 'content/plugins/mail/mail.php');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, JSON.stringify([{ mail: { to: 'a@b.example', subject: 'x', text: 'y' } }]));
    assert.equal((await visit(platform, FQDN, '/wp-content/plugins/mail/mail.php')).status, 200);
    const isMail = (name: string) => name.startsWith('mail-');
    await eventually(async () => !readdirSync(join(tenant.folder, 'outbox')).some(isMail), 120_000);
  },
  async 'tables, columns and options'() {
    tenant.tables();
    await backUp();
    assert.ok(lengthOf(await api.getSite({ params })) < 150_000);
    assert.ok(lengthOf(await api.getBackups({ params })) < 150_000);
    for (const { letters } of await backups()) assert.ok(Number(letters) < 150_000, `${letters} letters`);
    tenant.dropTables();
  },
  async 'names of files and what is in them'() {
    tenant.files();
    await backUp();
    await Promise.all([
      api.getSiteFile({ params, query: { path: 'uploads/odd' } }),
      api.searchSiteFiles({ params, query: { text: 'no such text' } }),
      api.listPitFiles({ params }),
      api.listPitFiles({ params, query: { prefix: 'uploads/odd/' } }),
    ]);
    tenant.clear();
  },
  async 'what PHP complains of'() {
    tenant.errors(join(platform.dataDir, 'logs', siteId));
    assert.ok((await api.listSiteErrors({ params })).count > 0);
    await api.listSiteLog({ params, query: { search: 'no such text' } });
  },
  async 'what happened from minute to minute'() {
    tenant.posts();
    await backUp();
    const told = async () => (await platform.rows('select from backups where not is_told', [])).length === 0;
    await eventually(told, 180_000);
    assert.ok(lengthOf(await api.listMoments({ params })) < 150_000);
  },
  async 'what another site answers'() {
    const fqdn = `blog.example.com:${upstream.port}`;
    for (const path of Object.keys(answers)) {
      const { status_code } = await api.cmsProxy({ body: { fqdn, path } });
      assert.equal(status_code, 200, path);
    }
  },
  async 'names of hosts'() {
    for (let count = 0; count < (IS_LONG ? 9_000 : 200); count++)
      await askHost(`${FQDN}:${'0'.repeat(12_000)}${count}`);
  },
};

function askHost(host: string): Promise<unknown> {
  const { port } = new URL(platform.url);
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/healthz', headers: { host } }, (response) =>
      response.resume().once('end', resolve),
    )
      .once('error', reject)
      .end();
  });
}

for (const [name, work] of Object.entries(works))
  test(`${name}, whatever it is, keeps nobody else waiting`, async (t) => {
    const taken = await whileAsked(async () => {
      for (let round = 0; round < Math.max(1, ROUNDS); round++) await work();
    });
    assert.ok(quiet.length > 0 && taken.length > 0, 'nobody asked');
    const [was, is] = [percentile(quiet, 99), percentile(taken, 99)];
    t.diagnostic(
      `/healthz p99 ${was.toFixed(1)} -> ${is.toFixed(1)} ms, ${(is / was).toFixed(1)} times; longest ${Math.max(...taken).toFixed(0)} ms`,
    );
    assert.ok(Math.max(...taken) < LONGEST_MS, `${Math.max(...taken)} ms`);
    if (IS_LONG) assert.ok(is / was <= GOAL, `${is / was} times as long, at most ${GOAL}`);
  });
