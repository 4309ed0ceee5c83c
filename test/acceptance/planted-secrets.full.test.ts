import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { createTestDatabase, findMail } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { startTrickyNames, type TrickyNames } from '#testkit/servers/changing-dns-server.ts';
import { type SeenRequest, startUpstream, type Upstream } from '#testkit/servers/upstream.ts';
import { openFrame, verifyPack } from '#timemachine/pack.ts';
import { type Ground, newSecret, PLANTS, plantVisible, sender, spellings, VISIBLE } from './planted-secrets.ts';
import { request } from './world.ts';

/**
 * Plants secrets through every field that takes one, makes things fail, and then looks for them everywhere: in each table,
 * the log with all that it can tell, each answer, and all files that the service keeps, backups unpacked.
 */
const CONFIGURED = {
  SECRET_KEY: newSecret(),
  ADMIN_PASSWORD: newSecret(),
  ANALYTICS_TOKEN: newSecret(),
  METRICS_TOKEN: newSecret(),
  METRICS_CLIENT_SECRET: newSecret(),
  STRIPE_SECRET_KEY: `sk_test_${newSecret()}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${newSecret()}`,
};

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDir: string;
let names: TrickyNames;
let echo: Upstream;
let service: ServiceProcess;
let ground: Ground;
const answers: string[] = [];

function repeat({ url, headers, body }: SeenRequest) {
  const said = JSON.stringify({ headers, body });
  if (url.pathname.endsWith('fail')) return { status: 500, body: { error: `no: ${said}` } };
  if (url.pathname.endsWith('text')) return { headers: { 'content-type': 'text/plain', 'x-said': said }, body: said };
  if (url.pathname.endsWith('bytes')) return { headers: { 'content-type': 'image/png' }, body: Buffer.from(said) };
  if (url.pathname === '/xmlrpc.php') return { headers: { 'content-type': 'text/xml' }, body: body };
  return { body: { headers, body } };
}

before(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'siteyard-planted-'));
  names = await startTrickyNames((name, type) => (type === 'A' && name.endsWith('.example.com') ? ['127.0.0.1'] : []));
  echo = await startUpstream(repeat);
  const port = await freePort();
  const env = {
    ...CONFIGURED,
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'trace',
    RATE_LIMIT_FACTOR: '0',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    DNS_SERVERS: names.address,
    STOREFRONT_DOMAIN: `shops.example.com:${echo.port}`,
    ANALYTICS_URL: `http://127.0.0.1:${echo.port}`,
    METRICS_URL: 'https://metrics.example.com',
    // Nobody is there, so every payment fails.
    STRIPE_API_URL: `http://127.0.0.1:${await freePort()}`,
  };
  service = spawnService(env, [], 50_000_000);
  const api = `${await service.ready}/f/api/v1`;
  const [email, password] = ['owner@example.com', newSecret()];
  const person = { email, password, first_name: 'Owner', last_name: 'Tester' };
  await request({ api }, 'POST', '/register', { body: person });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('update users set is_verified = true where email = $1', [email]);
  await client.end();
  const signedIn = await request({ api }, 'POST', '/token', { body: { username: email, password } });
  const token: string = signedIn.json.access_token;
  const teams = await request({ api }, 'GET', '/team', { token });
  ground = {
    api,
    token,
    email,
    password,
    teamId: teams.json.results[0].id,
    echo: `echo.example.com:${echo.port}`,
    dead: `dead.example.com:${await freePort()}`,
    mailTo: (address, containing) => findMail(join(dataDir, 'mail'), address, containing),
    send: sender(api, (answer) => answers.push(answer)),
  };
});
after(async () => {
  service?.kill('SIGTERM');
  await service?.exited;
  await Promise.all([database?.drop(), names?.close(), echo?.close()]);
  await rm(dataDir, { recursive: true, force: true });
});

test('no secret stands in plain text anywhere, while what is no secret is found everywhere', async () => {
  const planted = new Map<string, string[]>();
  for (const { name, plant } of PLANTS) planted.set(name, await plant(ground));
  planted.set('the configuration', Object.values(CONFIGURED));
  planted.set('the owner', [ground.password, ground.token]);
  await plantVisible(ground);
  await ground.send('POST', '/analytics-proxy', {
    token: ground.token,
    body: { path: '/api/v1/stats/echo', query_params_json: JSON.stringify({ site_id: await siteName() }) },
  });
  for (const path of ['/event?size=100', `/team/${ground.teamId}/event?size=100`])
    await ground.send('GET', path, { token: ground.token });
  await eventually(async () => (await packs()).length > 0, 60_000);
  // Nothing changes any more while it is searched.
  service.kill('SIGTERM');
  assert.equal(await service.exited, 0);

  const places = new Map<string, () => Promise<string[]>>([
    ['the database', readDatabase],
    ['the log', async () => [service.output()]],
    ['an answer', async () => answers],
    ['a file', () => readFiles(dataDir)],
    ['a backup', packs],
  ]);
  const found: string[] = [];
  let searches = 0;
  for (const [place, read] of places) {
    const texts = await read();
    for (const [name, secrets] of planted)
      for (const secret of secrets)
        for (const spelling of spellings(secret)) {
          searches++;
          const text = texts.find((each) => each.includes(spelling));
          if (text !== undefined) found.push(`${name}: ${spelling} in ${place}: ${around(text, spelling)}`);
        }
  }
  assert.deepEqual(found, []);
  const secrets = [...planted.values()].flat();
  assert.ok(
    secrets.every((secret) => typeof secret === 'string' && secret.length >= 12),
    JSON.stringify(secrets),
  );

  // The same search, for what has to be there.
  const contains = async (place: string, text: string) =>
    (await places.get(place)?.())?.some((each) => each.includes(text));
  assert.ok(await contains('the database', VISIBLE.ticket), 'the database is not searched');
  assert.ok(await contains('an answer', VISIBLE.ticket), 'answers are not searched');
  assert.ok(await contains('the log', '"operation":"createApplicationPassword"'), 'the log is not searched');
  assert.ok(await contains('the log', '"level":"debug"'), 'the log does not tell all');
  assert.ok(await contains('a file', VISIBLE.site), "the site's files are not searched");
  assert.ok(await contains('a backup', VISIBLE.site), 'backups are not searched');
  // And the other side did see them.
  const basic = echo.seen.some(({ headers }) => String(headers.authorization).startsWith('Basic '));
  assert.ok(basic && echo.seen.some(({ headers }) => headers['x-shopify-access-token']), 'no secret was ever used');
  console.log(
    `${secrets.length} secrets in ${planted.size} groups, ${searches} searches in ${places.size} places: ${found.length} found`,
  );
});

const around = (text: string, part: string) =>
  text.slice(Math.max(0, text.indexOf(part) - 80), text.indexOf(part) + 20);

async function siteName(): Promise<string> {
  const sites = await request(ground, 'GET', '/site', { token: ground.token });
  return sites.json.results[0].fqdn;
}

/** Every row of every table as text; bytes are hex there. */
async function readDatabase(): Promise<string[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const tables = await client.query(`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from ${name} t`);
      texts.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return texts;
  } finally {
    await client.end();
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function readFiles(folder: string): Promise<string[]> {
  const files = await filesBelow(folder);
  const read = files.map(
    async (file) => `${file} ${(await readFile(file).catch(() => Buffer.alloc(0))).toString('latin1')}`,
  );
  return Promise.all(read);
}

/** What is being written has a name that begins with a dot. */
const isWhole = (file: string) => !basename(file).startsWith('.');

/** The objects of all backups, unpacked. */
async function packs(): Promise<string[]> {
  const files = (await filesBelow(join(dataDir, 'backups')).catch(() => [])).filter(isWhole);
  const objects = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      const frames = verifyPack(basename(file).replace(/\..*$/, ''), bytes, () => {});
      return frames.map((frame) =>
        openFrame(frame, bytes.subarray(frame.offset, frame.offset + frame.storedBytes)).toString('latin1'),
      );
    }),
  );
  return objects.flat();
}
