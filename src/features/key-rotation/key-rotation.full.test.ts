import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Services } from '#core/services.ts';
import { metricsClientSecret } from '#features/metrics-sign-in/metrics-sign-in.client.ts';
import { claimRecord } from '#features/site-name/site-name.ts';
import { createClient } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { CMS, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { createTestDatabase, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { resealSecrets } from './key-rotation.jobs.ts';
import { SEALED_COLUMNS, SEALED_MEMBERS } from './sealed-values.ts';

const FIRST = 'the first key of this platform and long enough';
const SECOND = 'the second key of this platform and long enough';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDir: string;
/** The same at each start: it is in the address of a site, and WordPress names its cookies after that. */
let port: number;
const running = new Set<TestApp>();
before(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'siteyard-keys-'));
  port = await freePort();
});
after(async () => {
  for (const app of running) await app.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(
  SECRET_KEY: string,
  SECRET_KEY_PREVIOUS = '',
  more: Record<string, string> = {},
): Promise<TestApp> {
  const env = { DATA_DIR: dataDir, PORT: String(port), SECRET_KEY, SECRET_KEY_PREVIOUS, ...more };
  // That sessions of WordPress outlive the platform's key is part of it.
  const app = await startTestApp({ runtime: 'php', databaseUrl: database.url, env });
  running.add(app);
  const close = async () => {
    running.delete(app);
    await app.close();
  };
  return { ...app, close };
}
const as = (app: TestApp, { token }: Pick<Person, 'token'>) => createClient({ baseUrl: app.url, token });

/** As everything was sealed before seals named their key. */
function sealWithoutName(key: string, plain: string): Buffer {
  const sealKey = Buffer.from(hkdfSync('sha256', key, '', 'siteyard:seal', 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** How many sealed values there are, and how many of them with the key of today. */
async function countSeals({ db, secrets }: Services): Promise<{ all: number; current: number }> {
  let [all, current] = [0, 0];
  const count = (sealed: Buffer) => {
    all++;
    if (sealed.subarray(0, secrets.sealMark.length).equals(secrets.sealMark)) current++;
  };
  for (const { table, column } of SEALED_COLUMNS) {
    const { rows } = await sql<{ sealed: Buffer | null }>`
      select ${sql.id(column)} as sealed from ${sql.table(table)}`.execute(db);
    for (const { sealed } of rows) if (sealed) count(sealed);
  }
  for (const { table, column, path, encoding } of SEALED_MEMBERS) {
    const { rows } = await sql<{ text: string | null }>`
      select ${sql.id(column)} #>> ${path}::text[] as text from ${sql.table(table)}`.execute(db);
    for (const { text } of rows)
      if (text) count(encoding === 'hex' ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, 'base64'));
  }
  return { all, current };
}

test('the list names every sealed column that there is', async () => {
  const app = await start(FIRST);
  try {
    const { rows } = await sql<{ place: string }>`
      select table_name || '.' || column_name as place from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' order by 1`.execute(app.services.db);
    const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
    assert.deepEqual(
      rows.map(({ place }) => place),
      listed,
    );
  } finally {
    await app.close();
  }
});

test('the key is changed between two starts, and everything that was given out before still works', async () => {
  let app = await start(FIRST);
  const owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'starter');
  const [site, deleted] = [await newSite(owner), await newSite(owner)];
  const { http_auth_password: sitePassword } = await owner.api.getSite({ params: { fqdn: site.fqdn } });
  const { http_auth_password: deletedPassword } = await owner.api.getSite({ params: { fqdn: deleted.fqdn } });
  await owner.api.deleteSite({ params: { fqdn: deleted.fqdn }, wait: 60 });
  const fqdn = 'blog.example.com';
  const stored = { fqdn, username: 'ada', password: 'kept password', team_id: owner.teamId };
  await owner.api.createApplicationPassword({ body: stored });
  const old = { ...stored, fqdn: 'old.example.com' };
  await owner.api.createApplicationPassword({ body: old });
  await app.services.db
    .updateTable('application_passwords')
    .set({ password_sealed: sealWithoutName(FIRST, 'older password') })
    .where('fqdn', '=', old.fqdn)
    .execute();
  const invitation = {
    params: { team_id: owner.teamId },
    body: { target_email: 'bob@example.com', first_name: 'Bob' },
  };
  const keyed = { ...invitation, idempotencyKey: 'rotation' };
  const invite = await owner.api.createInvite(keyed);
  const inviteToken = new URL(invite.link).searchParams.get('token') as string;
  const metricsToken = app.services.secrets.derive('metrics token');
  const clientSecret = metricsClientSecret(app.services);
  const claim = claimRecord(app.services, owner.teamId, site.fqdn);
  const cookie = await signInToWordPress(app, site.fqdn);
  assert.match(await dashboardOf(app, site.fqdn, cookie), /Dashboard/);
  await app.close();

  /** What a person, a scraper and a site have in their hands. */
  const everythingWorks = async (previous: boolean) => {
    const api = as(app, owner);
    assert.equal((await api.getSite({ params: { fqdn: site.fqdn } })).http_auth_password, sitePassword);
    // Plugins seal what they keep with the salts of WordPress, and cookies are signed with them.
    assert.match(await dashboardOf(app, site.fqdn, cookie), /Dashboard/);
    const read = await api.cmsProxy({ body: { fqdn: site.fqdn, path: '/wp-json/wp/v2/settings' } });
    assert.equal(read.status_code, 200);
    // It stands in a zone that only its owner can change.
    assert.deepEqual(claimRecord(app.services, owner.teamId, site.fqdn), claim);
    if (!previous) return;
    assert.equal((await api.inspectInvite({ body: { token: inviteToken } })).target_email, 'bob@example.com');
    assert.equal((await api.createInvite(keyed)).id, invite.id);
    for (const token of [metricsToken, app.services.secrets.derive('metrics token')])
      assert.equal((await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    // Grafana is known by either; it is the code that is none.
    for (const client_secret of [clientSecret, metricsClientSecret(app.services)]) {
      const redirect_uri = 'http://grafana.example/login/generic_oauth';
      const form = {
        grant_type: 'authorization_code',
        client_id: 'grafana',
        client_secret,
        code: 'none',
        redirect_uri,
      };
      const answer = await fetch(`${app.api}/metrics-token`, { method: 'POST', body: new URLSearchParams(form) });
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid_grant');
    }
  };

  await assert.rejects(start(SECOND), /another key/);
  // Nobody works here yet, so everything is still sealed with the first key.
  app = await start(SECOND, FIRST, { ROLE: 'api' });
  const before = await countSeals(app.services);
  assert.ok(before.all >= 9 && before.current < before.all, JSON.stringify(before));
  assert.notEqual(app.services.secrets.derive('metrics token'), metricsToken);
  await app.close();
  await assert.rejects(start(SECOND), /SECRET_KEY_PREVIOUS/);
  await assert.rejects(start(FIRST), /another key/);

  app = await start(SECOND, FIRST);
  await everythingWorks(true);
  const isDone = async () => {
    const row = await app.services.db.selectFrom('platform').select('previous_key_checks').executeTakeFirst();
    return row?.previous_key_checks.length === 0;
  };
  await eventually(isDone, 60_000);
  const afterwards = await countSeals(app.services);
  assert.equal(afterwards.current, afterwards.all);
  await app.close();

  app = await start(SECOND);
  try {
    await everythingWorks(false);
    const api = as(app, owner);
    assert.equal((await api.deleteApplicationPassword({ params: { fqdn } })).password, 'kept password');
    assert.equal((await api.deleteApplicationPassword({ params: { fqdn: old.fqdn } })).password, 'older password');
    const operator = await createClient({ baseUrl: app.url }).signIn({
      body: { username: 'operator@example.com', password: 'operator-password' },
    });
    const site_id = deleted.id;
    await as(app, { token: operator.access_token }).restoreDeletedSite({ params: { site_id }, wait: 60 });
    const back = await api.getSite({ params: { fqdn: deleted.fqdn } });
    assert.equal(back.http_auth_password, deletedPassword);
    // A link of the key that is no longer there is worth nothing.
    await assert.rejects(api.inspectInvite({ body: { token: inviteToken } }), refused(404));
  } finally {
    await app.close();
  }
});

test('sealing anew goes on after it was killed half-way, and leaves alone what no key opens', async () => {
  const app = await start(SECOND);
  const person = await registerPerson(app, 'Many');
  const row = { team_id: person.teamId, user_id: person.userId, username: 'a' };
  const rows = Array.from({ length: 450 }, (_, at) => ({
    ...row,
    fqdn: `many${at}.example.com`,
    password_sealed: sealWithoutName(FIRST, `password ${at}`),
  }));
  await app.services.db.insertInto('application_passwords').values(rows).execute();
  await app.close();
  const renewed = await start(SECOND, FIRST, { ROLE: 'api' });
  try {
    const { services } = renewed;
    const run = (signal: AbortSignal) =>
      resealSecrets.run(
        {},
        { id: 'test', services, signal, commit: (effect) => services.db.transaction().execute(effect) },
      );
    // One look at each place before it, and one at the first of its passwords.
    const lastLook = SEALED_COLUMNS.findIndex(({ table }) => table === 'application_passwords') + 1;
    let looks = 0;
    const dying = { throwIfAborted: () => assert.ok(++looks <= lastLook, 'killed') };
    await assert.rejects(run(dying as AbortSignal), /killed/);
    const half = await countSeals(services);
    assert.ok(half.current > 0 && half.current < half.all, JSON.stringify(half));
    await run(new AbortController().signal);
    const whole = await countSeals(services);
    assert.equal(whole.current, whole.all);
    const kept = await services.db
      .selectFrom('application_passwords')
      .selectAll()
      .where('team_id', '=', person.teamId)
      .execute();
    for (const { fqdn, password_sealed } of kept)
      assert.equal(services.secrets.open(password_sealed).toString(), `password ${/\d+/.exec(fqdn)?.[0]}`);

    const lost = sealWithoutName('a key that nobody has any more and long enough', 'lost');
    await services.db
      .updateTable('application_passwords')
      .set({ password_sealed: lost })
      .where('fqdn', '=', 'many7.example.com')
      .execute();
    await assert.rejects(run(new AbortController().signal), /1 values are sealed with a key/);
  } finally {
    await renewed.close();
  }
});

async function signInToWordPress(app: TestApp, fqdn: string): Promise<string> {
  const form = new URLSearchParams({ log: CMS.cms_username, pwd: CMS.cms_password, testcookie: '1' });
  const answer = await visit(app, fqdn, '/wp-login.php', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: 'wordpress_test_cookie=WP%20Cookie%20check',
    },
    body: form.toString(),
  });
  const cookies = (answer.headers['set-cookie'] ?? []) as string[];
  assert.ok(
    cookies.some((each) => each.startsWith('wordpress_logged_in')),
    answer.text.slice(0, 500),
  );
  return cookies.map((each) => each.split(';')[0]).join('; ');
}

async function dashboardOf(app: TestApp, fqdn: string, cookie: string): Promise<string> {
  const { status, text } = await visit(app, fqdn, '/wp-admin/', { headers: { cookie } });
  return `${status} ${/<title>(.*?)<\/title>/s.exec(text)?.[1] ?? text.slice(0, 200)}`;
}
