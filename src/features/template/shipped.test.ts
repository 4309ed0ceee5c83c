import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { API_PREFIX } from '#core/http/operation.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let app: TestApp;
let person: Person;

before(async () => {
  app = await startTestApp({ env: { SHIPPED_TEMPLATES: 'on' } });
  person = await registerPerson(app, 'Person');
  await putOnPlan(app, person.teamId, 'business');
});
after(() => app?.close());

const pictureOf = (name: string, { token }: Pick<Person, 'token'>) =>
  fetch(`${app.url}${API_PREFIX}/template/${name}/picture`, { headers: { authorization: `Bearer ${token}` } });

suite('the gallery', () => {
  test('has three templates of our own on a fresh platform, for everybody, each with a picture', async () => {
    const templates = await eventually(async () => {
      const ready = (await person.api.listTemplates()).results.filter((each) => each.ready);
      return ready.length === 3 && ready;
    });
    assert.deepEqual(templates.map(({ name }) => name).sort(), ['blog', 'business', 'portfolio']);
    for (const { name, approved, is_public } of templates) {
      assert.deepEqual([approved, is_public], [true, true]);
      const answer = await pictureOf(name, person);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp']);
      assert.ok((await answer.arrayBuffer()).byteLength < 60_000);
    }
    const fqdn = newFqdn();
    const body = { ...CMS, fqdn, team_id: person.teamId, template_name: 'blog' };
    await person.api.createSite({ wait: 60, body });
    assert.equal((await visit(app, fqdn, '/')).status, 200);
  });

  test('shows the picture of a theme where it is one, and only to those who see the template', async () => {
    const site = await newSite(person);
    const disk = siteOnDisk(app, site.id);
    await disk.write('themes/own/style.css', '/*\nTheme Name: Own\n*/');
    await disk.write('themes/own/screenshot.png', PNG);
    await disk.query("update wp_options set option_value = 'own' where option_name in ('template', 'stylesheet')");
    const make = (name: string) =>
      person.api.createTemplate({
        wait: 60,
        body: {
          url: `https://example.com/${name}`,
          fqdn: site.fqdn,
          description: 'Private',
          tag: 'blog',
          is_public: false,
        },
      });
    const { name, picture_url } = await make('with-a-picture');
    assert.ok(picture_url);
    const stranger = await registerPerson(app, 'Stranger');
    const answer = await pictureOf(name, person);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png']);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), PNG);
    assert.equal((await pictureOf(name, stranger)).status, 404);
    await disk.write('themes/own/screenshot.png', '<script>alert(1)</script>');
    const other = await make('with-a-lie');
    assert.equal((await pictureOf(other.name, person)).status, 404);
  });

  test('a template counts for the storage of its team, and no longer once it is deleted', async () => {
    const used = async () => {
      const { rows } = await sql<{
        bytes: string;
      }>`select storage_usage as bytes from teams where id = ${person.teamId}`.execute(app.services.db);
      return Number(rows[0]?.bytes);
    };
    const before = await used();
    const [template] = (await person.api.listTemplates()).results.filter(({ name }) => name === 'with-a-picture');
    assert.ok(template && before > 0);
    await person.api.deleteTemplate({ params: { template_name: 'with-a-picture' } });
    assert.ok((await used()) < before);
    await assert.rejects(person.api.deleteTemplate({ params: { template_name: 'blog' } }), refused(403));
  });
});
