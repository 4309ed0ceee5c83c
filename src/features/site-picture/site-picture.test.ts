import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { letIn, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { holdSite, insertSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { drawPicture } from './site-picture.drawing.ts';
import { existingSites } from './site-picture.sql.ts';
import { studioOf } from './site-picture.ts';
import { Studio } from './studio.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const ask = (fqdn: string, token: string) =>
  fetch(`${app.api}/site/${fqdn}/picture`, { headers: { authorization: `Bearer ${token}` } });

test('a site has a picture from its first moment, for its members alone, and a better one once its page was read', async () => {
  const [owner, viewer, stranger] = [await registerPerson(app), await registerPerson(app), await registerPerson(app)];
  await letIn(owner, viewer, 'viewer');
  const { id, fqdn } = await newSite(owner);
  const first = await ask(fqdn, owner.token);
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('content-type'), 'image/svg+xml');
  assert.match(first.headers.get('content-security-policy') ?? '', /sandbox; default-src 'none'/);
  assert.equal(first.headers.get('cache-control'), 'no-store');
  const studio = studioOf(app.services);
  await eventually(async () => (await studio.shelf.find(id)) !== undefined);
  const drawn = await ask(fqdn, viewer.token);
  assert.equal(drawn.headers.get('cache-control'), 'private, max-age=300');
  assert.match(await drawn.text(), /width="960"/);
  assert.equal((await ask(fqdn, stranger.token)).status, 404);
  assert.equal((await fetch(`${app.api}/site/${fqdn}/picture`)).status, 401);

  await app.services.db.deleteFrom('sites').where('id', '=', id).execute();
  await studio.shelf.tidy((ids) => existingSites(app.services.db, ids));
  const files = await readdir(join(app.services.config.dataDir, 'pictures'));
  assert.deepEqual(
    files.filter((name) => name.startsWith(id)),
    [],
  );
});

test('a site that is busy is asked for again, and one that sleeps is not', async () => {
  const owner = await registerPerson(app);
  const [busy, asleep] = [newFqdn(), newFqdn()];
  const id = await insertSite(app, owner, { fqdn: busy, is_free: true });
  const giveBack = await holdSite(app, id, 'creating');
  const other = await registerPerson(app);
  await insertSite(app, other, { fqdn: asleep, is_free: true });
  await app.services.db.updateTable('sites').set({ is_sleeping: true }).where('fqdn', '=', asleep).execute();
  for (const [fqdn, { token }, width, kept] of [
    [busy, owner, 640, 'no-store'],
    [asleep, other, 960, 'private, max-age=300'],
  ] as const) {
    const answer = await ask(fqdn, token);
    assert.equal(answer.headers.get('cache-control'), kept);
    assert.match(await answer.text(), new RegExp(`width="${width}"`));
  }
  await giveBack();
});

test('a drawing has the title and the colours of the theme, and nothing else of a page gets into it', () => {
  const html = `<title>Caf&eacute; &amp; &lt;script&gt;alert(1)&lt;/script&gt; “Bar” – Fresh rye</title>
    <style>:root{--wp--preset--color--base: #102030;--wp--preset--color--contrast: #fafafa;
    --wp--preset--color--primary: url(javascript:alert(1));--wp--preset--color--accent-1: #ff8800;}</style>`;
  const svg = drawPicture({ fqdn: 'a.example', html }, true).toString();
  assert.ok(svg.includes('fill="#102030"') && svg.includes('fill="#ff8800"') && svg.includes('fill="#fafafa"'));
  assert.ok(!/<script|javascript|url\(/i.test(svg), svg);
  assert.ok(svg.includes('alert(1)') && svg.includes('&#60;script&#62;'));
  assert.ok(!svg.includes('Fresh rye'));
  const plain = drawPicture({ fqdn: '"><x>.example' }, false).toString();
  assert.ok(plain.includes('width="640"') && !plain.includes('"><x>'));
  const titled = drawPicture({ fqdn: 'a.example', title: 'Tide & <b>\u0001' }, false).toString();
  assert.ok(titled.includes('>Tide &#38; &#60;b&#62;</text>'), titled);
});

test('a page that is made to be read for ever is drawn like any other', () => {
  // Each of these would be read to the end of the page: minutes in which the process does nothing else.
  const html = '<title'.repeat(300_000);
  assert.ok(drawPicture({ fqdn: 'a.example', html }, true).toString().includes('>a.example</text>'));
});

test('teams take turns at pictures, and one that could not be taken is not tried again at once', async () => {
  const [many, one] = [await registerPerson(app), await registerPerson(app)];
  await putOnPlan(app, many.teamId, 'starter');
  const sites = [await newSite(many), await newSite(many), await newSite(one)];
  const taken: string[] = [];
  const browser = {
    takePicture: async ({ url }: { url: string }) => {
      taken.push(new URL(url).hostname);
      return Buffer.from('a picture');
    },
    close: async () => {},
  };
  const studio = new Studio({ ...app.services, browser });
  for (const { id, team_id } of sites) studio.want({ id, team_id });
  await studio.idle();
  const [first, second, other] = sites.map(({ fqdn }) => fqdn);
  assert.deepEqual(taken, [first, other, second]);

  const broken = new Studio({ ...app.services, db: failingDb() });
  const tried = async () => {
    broken.want({ id: sites[0]?.id as string, team_id: many.teamId });
    await broken.idle();
    return asked;
  };
  assert.deepEqual([await tried(), await tried()], [1, 1]);
});

let asked = 0;
/** Of a machine whose database is away. */
const failingDb = () =>
  new Proxy(app.services.db, {
    get() {
      asked++;
      throw new Error('the database is away');
    },
  });
