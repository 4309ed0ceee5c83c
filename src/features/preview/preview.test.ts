import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { cleanUpInstances } from '#features/instance/clean-up.jobs.ts';
import type { PitPreview, Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, insertPreview, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
let site: Site;
let point: string;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
  site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  await disk.setOption('blogname', 'As it was');
  await disk.write('uploads/note.txt', 'as it was');
  point = await disk.keep();
  await disk.setOption('blogname', 'As it is');
  await disk.write('uploads/note.txt', 'as it is');
});

const job = () => ({ services: app.services, id: '', signal: AbortSignal.timeout(60_000), commit: async () => {} });

/** Opens a preview and returns its host, its id and the cookie that lets in. */
async function openPreview() {
  const { browse } = await owner.api.previewPitRestore({
    params: { fqdn: site.fqdn },
    query: { browse: true },
    wait: 60,
    body: { restore_point: point },
  });
  const id = browse?.url.split('/').at(-1) as string;
  const preview = await eventually(async () => {
    const now = await owner.api.getPreview({ params: { preview_id: id } });
    return now.is_ready && now;
  }, 60_000);
  const url = new URL(preview.url as string);
  const entered = await visit(app, url.hostname, url.pathname + url.search);
  assert.equal(entered.status, 303);
  const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
  return { id, host: url.hostname, headers: { cookie }, browse };
}

suite('a browsable preview', () => {
  test('shows the site as it was to whoever asked, and nothing to anybody else', async () => {
    const { id, host, headers, browse } = await openPreview();
    const page = await visit(app, host, '/', { headers });
    assert.equal(page.status, 200);
    assert.match(page.text, /As it was/);
    assert.equal((await visit(app, host, '/wp-content/uploads/note.txt', { headers })).text, 'as it was');
    for (const path of ['/', '/wp-content/uploads/note.txt', '/wp-login.php']) {
      assert.equal((await visit(app, host, path)).status, 403, path);
    }
    const endsInMs = Date.parse(browse?.expires_at as string) - Date.now();
    assert.ok(endsInMs > 28 * 60_000 && endsInMs <= 30 * 60_000);
    assert.match((await visit(app, site.fqdn, '/')).text, /As it is/);

    const colleague = await registerPerson(app, 'Colleague');
    await letIn(owner, colleague, 'admin');
    await assert.rejects(colleague.api.getPreview({ params: { preview_id: id } }), refused(404, 'preview.not_found'));
  });

  test('goes after its half hour, with its files, its address and its record', async () => {
    const { id, host, headers } = await openPreview();
    const { content } = app.runtime.storage(id);
    assert.ok(existsSync(content));
    await sql`update sites set expires_at = now() - interval '1 second' where id = ${id}`.execute(app.services.db);
    await assert.rejects(owner.api.getPreview({ params: { preview_id: id } }), refused(404, 'preview.not_found'));
    await cleanUpInstances.run({}, job());
    assert.ok(!existsSync(content));
    const answer = await visit(app, host, '/', { headers });
    assert.ok(answer.status === 404 || answer.status === 410, String(answer.status));
  });

  test('goes with its site, files and all, also one that is still being made', async () => {
    const mine = await newSite(owner);
    const { id } = await insertPreview(app, mine.id, owner.userId);
    const making = await insertPreview(app, mine.id, owner.userId);
    await holdSite(app, making.id, 'creating');
    for (const each of [id, making.id]) mkdirSync(app.runtime.storage(each).content, { recursive: true });
    await owner.api.deleteSite({ params: { fqdn: mine.fqdn }, wait: 60 });
    await cleanUpInstances.run({}, job());
    const kept = await app.runtime.list();
    assert.deepEqual([kept.includes(id), kept.includes(making.id), kept.includes(mine.id)], [false, false, true]);
    const { db } = app.services;
    for (const table of ['sites_to_remove', 'site_holds'] as const)
      assert.deepEqual(await db.selectFrom(table).selectAll().where('site_id', 'in', [id, making.id]).execute(), []);
  });

  test('ends with the right to it: for a member who is removed, and with a team that is suspended', async () => {
    await sql`delete from sites where kind = 'preview' and of_site_id = ${site.id}`.execute(app.services.db);
    const member = await registerPerson(app, 'Member');
    await letIn(owner, member, 'member');
    const ask = (person: Person) =>
      person.api.previewPitRestore({
        params: { fqdn: site.fqdn },
        query: { browse: true },
        wait: 60,
        body: { restore_point: point },
      });
    const isOpen = async (id: string) => {
      const row = await app.services.db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirst();
      return row?.expires_at != null && row.expires_at > new Date();
    };
    const idOf = (preview: PitPreview) => preview.browse?.url.split('/').at(-1) as string;
    const [theirs, own] = [idOf(await ask(member)), idOf(await ask(owner))];
    await owner.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: member.userId } });
    assert.deepEqual([await isOpen(theirs), await isOpen(own)], [false, true]);
    const teams = app.services.db.updateTable('teams').where('id', '=', owner.teamId);
    await teams.set({ is_active: false }).execute();
    assert.equal(await isOpen(own), false);
    await teams.set({ is_active: true }).execute();
  });

  test("there are at most three of a site at a time: asked again one has the same, one's own oldest goes, those of others stay", async () => {
    const { db } = app.services;
    await sql`delete from sites where kind = 'preview' and of_site_id = ${site.id}`.execute(db);
    const open = async () =>
      (
        await sql<{ id: string }>`select id from sites where kind = 'preview' and of_site_id = ${site.id}`.execute(db)
      ).rows.map(({ id }) => id);
    const ask = async () => {
      const query = { browse: true };
      const { browse } = await owner.api.previewPitRestore({
        params: { fqdn: site.fqdn },
        query,
        body: { restore_point: point },
      });
      return browse?.url.split('/').at(-1) as string;
    };
    const first = await ask();
    assert.equal(await ask(), first);
    const others = await registerPerson(app, 'Other');
    for (let n = 0; n < 2; n++) await insertPreview(app, site.id, others.userId);
    await sql`update site_previews set commit_hash = 'of another minute' where site_id = ${first}`.execute(db);
    const second = await ask();
    assert.deepEqual(
      [(await open()).includes(first), (await open()).includes(second), (await open()).length],
      [false, true, 3],
    );
    await sql`delete from sites where id = ${second}`.execute(db);
    await insertPreview(app, site.id, others.userId);
    await assert.rejects(ask(), refused(409, 'preview.too_many'));
  });
});
