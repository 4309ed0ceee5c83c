import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { type ApiError, createClient, type Site, type Template } from '#sdk';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { hostileArchives } from '#testkit/archives/hostile-archives.ts';
import { hostileDumps } from '#testkit/archives/hostile-dumps.ts';
import { type Packed, tarGz, zip } from '#testkit/archives/pack.ts';
import { visit } from '#testkit/clients/visit.ts';
import { refused } from '#testkit/expect.ts';
import { git, makeRepository } from '#testkit/git/repository.ts';

let app: TestApp;
let folder: string;
let maker: Person;
let operator: Omit<Person, 'userId' | 'teamId'>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-templates-'));
  app = await startTestApp({ env: { GIT_FILE_ROOTS: folder } });
  maker = await registerPerson(app, 'Maker');
  await putOnPlan(app, maker.teamId, 'business');
  operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
});
after(async () => {
  await app?.close();
  await rm(folder, { recursive: true, force: true });
});

const siteFiles = (more: { title?: string; readme?: string } = {}): Packed[] => [
  { name: 'content/plugins/shop/shop.php', data: '[]' },
  { name: 'content/themes/plain/style.css', data: '/*\nTheme Name: Plain\n*/' },
  { name: 'content/uploads/photo.txt', data: 'a photo' },
  { name: 'README.md', data: more.readme ?? '# Read me' },
  { name: 'database.sql', data: dumpOf({ title: more.title ?? 'A template' }) },
];

async function repositoryOf(files: Record<string, string | Buffer>, name = `t-${randomBytes(5).toString('hex')}`) {
  const path = join(folder, `${name}.git`);
  await makeRepository(path, files);
  return { name, path, url: `file://${path}` };
}

const body = (url: string) => ({ url, description: 'For the tests', tag: 'blog' as const, is_public: true });
const make = (url: string, more: object = {}, person = maker): Promise<Template> =>
  person.api.createTemplate({ wait: 60, body: { ...body(url), ...more } });
/** Quicker than an archive, where it does not matter what it is made from. */
const ofSite = async () => {
  shared ??= newSite(maker);
  const name = `t-${randomBytes(5).toString('hex')}`;
  const { fqdn } = await shared;
  return { name, make: () => make(`https://example.com/${name}`, { fqdn }) };
};
let shared: Promise<Site> | undefined;
const siteFrom = (template_name: string, person = maker) =>
  person.api.createSite({ wait: 60, body: { ...CMS, fqdn: newFqdn(), team_id: person.teamId, template_name } });
const approve = (template_name: string, approved = true) =>
  operator.api.approveTemplate({ params: { template_name }, body: { approved } });
const get = (template_name: string, { api }: Pick<Person, 'api'> = maker) =>
  api.getTemplate({ params: { template_name } });
const usersOf = async (siteId: string) => {
  const { driver } = app.services.config.newSites;
  const database = await app.services.localHost?.drivers[driver]?.database(siteId);
  return (await database?.query('select user_login, user_email from wp_users').finally(() => database.close())) ?? [];
};

suite('a template', () => {
  test('of a repository makes sites: its content at their address, their title, and their administrator alone', async () => {
    const { name, url } = await repositoryOf({ 'site.tar.gz': tarGz(siteFiles()) });
    const template = await make(url, { theme: 'plain' });
    assert.deepEqual([template.name, template.ready, template.approved], [name, true, false]);
    assert.deepEqual([template.plugins, template.readme, template.user_id], [['shop'], '# Read me', maker.userId]);
    const site = await siteFrom(name);
    const page = await visit(app, site.fqdn, '/');
    assert.equal(page.status, 200);
    assert.match(page.text, new RegExp(CMS.cms_blog_name));
    assert.match(page.text, /A post; of seven/);
    assert.equal((await visit(app, site.fqdn, '/wp-content/uploads/photo.txt')).text, 'a photo');
    assert.deepEqual(
      (await usersOf(site.id)).map((row) => ({ ...row })),
      [{ user_login: CMS.cms_username, user_email: CMS.cms_email }],
    );
    const left = await readdir(join(app.services.config.dataDir, 'imports'));
    assert.deepEqual(left, []);
  });

  test('of a site of one’s own is that site as it is, without its people', async () => {
    const site = await newSite(maker);
    await siteOnDisk(app, site.id).write('plugins/own/own.php', '[]');
    await siteOnDisk(app, site.id).write('uploads/own.txt', 'my own');
    const backdoor = `create trigger mine after update on wp_users begin
      insert or ignore into wp_users (ID, user_login) values (666, 'support'); end`;
    await siteOnDisk(app, site.id).query(backdoor);
    await siteOnDisk(app, site.id).setOption('users_can_register', '1');
    await siteOnDisk(app, site.id).setOption('default_role', 'administrator');
    const template = await make('https://example.com/my-shop', { fqdn: site.fqdn });
    assert.deepEqual([template.name, template.plugins], ['my-shop', ['own']]);
    const copy = await siteFrom('my-shop');
    const options = await siteOnDisk(app, copy.id).query(
      "select option_value from wp_options where option_name in ('users_can_register', 'default_role') order by 1",
    );
    assert.deepEqual(
      options.map(({ option_value }) => option_value),
      ['0', 'subscriber'],
    );
    assert.equal((await usersOf(copy.id)).length, 1, 'nothing that ran by itself has made somebody');
    assert.equal((await visit(app, copy.fqdn, '/wp-content/uploads/own.txt')).text, 'my own');
    const stranger = await registerPerson(app);
    await assert.rejects(make('https://example.com/x', { fqdn: site.fqdn }, stranger), refused(422));
    await assert.rejects(make(site.fqdn, { fqdn: site.fqdn }), refused(422));
    const another = await registerPerson(app);
    await app.services.db.updateTable('sites').set({ team_id: another.teamId }).where('id', '=', site.id).execute();
    const again = { params: { template_name: 'my-shop' }, query: { update_git: true }, body: {} };
    await assert.rejects(maker.api.updateTemplate(again), refused(422, 'template.refused'));
  });

  test('is for its maker’s teams alone, until an operator approves it and only where it is public', async () => {
    const { name, make: makeIt } = await ofSite();
    await makeIt();
    const [stranger, colleague] = [await registerPerson(app), await registerPerson(app)];
    await letIn(maker, colleague, 'viewer');
    const nobody = { api: createClient({ baseUrl: app.url }) };
    const listed = async ({ api }: Pick<Person, 'api'>) =>
      (await api.listTemplates({ query: { size: 100 } })).results.some((each) => each.name === name);
    // Another team of its maker is none of its own.
    await letIn(stranger, maker, 'viewer');
    for (const who of [stranger, nobody]) await assert.rejects(get(name, who), refused(404, 'template.not_found'));
    await assert.rejects(siteFrom(name, stranger), refused(422));
    assert.deepEqual([await listed(stranger), await listed(colleague), await listed(maker)], [false, true, true]);
    assert.equal((await get(name, colleague)).name, name);
    await assert.rejects(colleague.api.deleteTemplate({ params: { template_name: name } }), refused(403));
    await assert.rejects(
      stranger.api.approveTemplate({ params: { template_name: name }, body: { approved: true } }),
      refused(403),
    );
    await approve(name);
    for (const who of [stranger, nobody]) assert.equal((await get(name, who)).approved, true);
    assert.equal((await siteFrom(name, stranger)).busy, null);
    await maker.api.updateTemplate({ params: { template_name: name }, body: { is_public: false, tag: 'other' } });
    await assert.rejects(get(name, nobody), refused(404));
    assert.equal((await get(name)).tag, 'other');
    const say = (change: { url?: string; description?: string }) =>
      maker.api.updateTemplate({ params: { template_name: name }, body: change });
    await assert.rejects(say({ url: 'javascript:alert(1)' }), refused(422));
    assert.equal((await say({ description: 'Something else' })).approved, false);
  });

  test('has the README of its repository where the archive has none', async () => {
    const withoutReadme = siteFiles().filter((file) => file.name !== 'README.md');
    const files = { 'site.zip': zip(withoutReadme), 'Readme.md': '# Of the repository' };
    assert.equal((await make((await repositoryOf(files)).url)).readme, '# Of the repository');
    const binary = { ...files, 'Readme.md': Buffer.from([35, 0, 1]) };
    assert.equal((await make((await repositoryOf(binary)).url)).readme, null);
  });

  test('belongs to the named team, else to the default team of its creator, and counts for its storage', async () => {
    const { url } = await repositoryOf({ 'site.zip': zip(siteFiles()) });
    const [creator, other, stranger] = [
      await registerPerson(app, 'Creator'),
      await registerPerson(app, 'Other'),
      await registerPerson(app),
    ];
    await letIn(other, creator, 'member');
    const own = await make(url, {}, creator);
    const named = await make(url, { team_id: other.teamId }, creator);
    assert.deepEqual([own.team_id, named.team_id], [creator.teamId, other.teamId]);
    for (const { api, teamId } of [creator, other])
      assert.ok((await api.getTeam({ params: { team_id: teamId } })).storage_usage > 0);
    await other.api.deleteTemplate({ params: { template_name: named.name } });
    await assert.rejects(make(url, { team_id: stranger.teamId }, creator), refused(404, 'team.not_found'));
    await letIn(stranger, creator, 'viewer');
    await assert.rejects(make(url, { team_id: stranger.teamId }, creator), refused(403));
  });

  test('is fetched again when it is asked for, and has to be approved again', async () => {
    const repository = await repositoryOf({ 'site.zip': zip(siteFiles({ readme: 'one' })) });
    await make(repository.url);
    await approve(repository.name);
    const before = (await row(repository.name)).content_id;
    await writeFile(join(`${repository.path}.work`, 'site.zip'), zip(siteFiles({ readme: 'two' })));
    await git(`${repository.path}.work`, 'commit', '--quiet', '-am', 'two');
    await git(`${repository.path}.work`, 'push', '--quiet', repository.path, 'main');
    const update = () =>
      maker.api.updateTemplate({
        params: { template_name: repository.name },
        query: { update_git: true },
        body: {},
        wait: 60,
      });
    const again = await update();
    assert.deepEqual([again.readme, again.approved, again.ready], ['two', false, true]);
    assert.notEqual((await row(repository.name)).content_id, before);
    await rm(repository.path, { recursive: true });
    await assert.rejects(update(), refused(422, 'template.refused'));
    assert.equal((await siteFrom(repository.name)).busy, null);
  });

  test('is gone with its name when it is deleted; a name that is taken gets a number', async () => {
    const { name, make: makeIt } = await ofSite();
    await makeIt();
    assert.equal((await makeIt()).name, `${name}-2`);
    await maker.api.deleteTemplate({ params: { template_name: name } });
    await assert.rejects(get(name), refused(404));
    await assert.rejects(siteFrom(name), refused(422));
    const events = await maker.api.listTeamEvents({ params: { team_id: maker.teamId } });
    assert.equal(events.results[0]?.event_type, 'template.deleted');
  });
});

const row = (name: string) =>
  app.services.db.selectFrom('templates').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

suite('a repository that no template can be made of is refused at once, and leaves nothing', () => {
  const bad = (name: string) => hostileArchives().find((each) => each.name === name)?.bytes as Buffer;
  const dump = (name: string) => hostileDumps().find((each) => each.name.startsWith(name))?.sql as string;
  const withDump = (sql: string) => zip([...siteFiles().slice(0, 3), { name: 'database.sql', data: sql }]);
  const cases: [string, Record<string, string | Buffer>, RegExp][] = [
    ['without an archive', { 'README.md': '' }, /none of site\.zip/],
    ['with a folder of that name', { 'site.zip/x': '' }, /none of site\.zip/],
    ['with a pointer to Git LFS', { 'site.zip': 'version https://git-lfs.github.com/spec/v1\n' }, /Git LFS/],
    ['with a path that leads up', { 'site.zip': bad('a path that leads up in a zip') }, /leads out of its folder/],
    ['with a link', { 'site.tar.gz': bad('a tar entry of the kind 2') }, /symbolic link/],
    ['with a dump that writes files', { 'site.zip': withDump(dump('SELECT * FROM')) }, /line \d+: SELECT is not taken/],
    ['with a trigger', { 'site.zip': withDump(dump('CREATE TRIGGER')) }, /CREATE TRIGGER is not taken/],
  ];
  for (const [name, files, says] of cases) {
    test(name, async () => {
      const { url, name: template } = await repositoryOf(files);
      await assert.rejects(make(url), (error: ApiError) => {
        refused(422, 'template.refused')(error);
        assert.deepEqual(error.faults[0]?.loc, ['body', 'url']);
        assert.match(error.faults[0]?.msg ?? '', says);
        return true;
      });
      await assert.rejects(get(template), refused(404));
    });
  }

  test('with a theme that it does not have, which is a fault of that field', async () => {
    const { url } = await repositoryOf({ 'site.zip': zip(siteFiles()) });
    const error = (await make(url, { theme: 'nothing' }).catch((reason) => reason)) as ApiError;
    refused(422, 'template.refused')(error);
    assert.deepEqual(error.faults[0]?.loc, ['body', 'theme']);
  });

  test('also as the new address of a template, which is read without being fetched', async () => {
    const { name, url } = await repositoryOf({ 'site.zip': zip(siteFiles({ readme: 'one' })) });
    await make(url);
    const moveTo = (to: string) => maker.api.updateTemplate({ params: { template_name: name }, body: { url: to } });
    const empty = await repositoryOf({ 'notes.txt': '' });
    for (const wrong of [`file://${folder}/none.git`, empty.url])
      await assert.rejects(moveTo(wrong), refused(422, 'template.refused'), wrong);
    assert.equal((await get(name)).url, url);
    const other = await repositoryOf({ 'site.zip': zip(siteFiles({ readme: 'two' })) });
    const moved = await moveTo(other.url);
    assert.deepEqual([moved.url, moved.readme], [other.url, 'one']);
  });

  test('with a theme that it does not have, or behind an address that is none', async () => {
    const { url } = await repositoryOf({ 'site.zip': zip(siteFiles()) });
    await assert.rejects(make(url, { theme: 'nothing' }), refused(422, 'template.refused'));
    for (const wrong of [
      'file:///etc',
      'https://user:secret@example.com/x.git',
      'ext::sh -c id',
      `file://${folder}/none.git`,
    ])
      await assert.rejects(make(wrong), refused(422), wrong);
    assert.deepEqual(await readdir(join(app.services.config.dataDir, 'imports')), []);
  });
});

/** Replaces a call of the host for as long as the work takes. */
async function withCall<T>(
  name: 'make' | 'snapshot' | 'delete',
  call: (...args: never[]) => unknown,
  work: () => Promise<T>,
) {
  const hosts = app.services.hosts as unknown as Record<string, unknown>;
  const real = hosts[name] as (...args: never[]) => unknown;
  hosts[name] = call.bind(undefined);
  try {
    return await work();
  } finally {
    hosts[name] = real;
  }
}

suite('the work on a template', () => {
  const place = () => app.services.config.newSites;

  test('that is broken off after any of its steps is done again from the start', async () => {
    const { make: makeIt } = await ofSite();
    await withoutRetryWaits(app.services.db, async () => {
      for (const step of ['make', 'snapshot', 'delete'] as const) {
        const real = app.services.hosts[step] as (...args: never[]) => Promise<unknown>;
        let calls = 0;
        const breakOff = async (...args: never[]) => {
          const result = await real(...args);
          if (++calls === 1) throw new Error('killed');
          return result;
        };
        const template = await withCall(step, breakOff, makeIt);
        assert.ok(template.ready && calls > 1, step);
      }
    });
    const kept = await app.services.hosts.list(place());
    const contents = (await app.services.db.selectFrom('templates').select('content_id').execute()).map(
      (each) => each.content_id,
    );
    assert.deepEqual(
      contents.filter((id) => kept.includes(String(id))),
      [],
      'nothing of it stays on the host',
    );
  });

  test('that fails for good leaves neither a template nor its name nor anything on the host', async () => {
    const { hosts, db } = app.services;
    const { name, make: makeIt } = await ofSite();
    const real = hosts.make;
    for (const failure of [new ArchiveRefused('it changed meanwhile'), new Error('a full disk')]) {
      const made: string[] = [];
      const fail = async (...[site, from]: Parameters<typeof real>) => {
        if (made.push(site.id) === 1) await real(site, from);
        throw failure;
      };
      await withoutRetryWaits(db, () =>
        withCall('make', fail, () => assert.rejects(makeIt(), refused(500, 'template.failed'))),
      );
      await assert.rejects(get(name), refused(404));
      const kept = await hosts.list(place());
      assert.ok(made.length > 0 && !made.some((id) => kept.includes(id)));
    }
    assert.equal((await makeIt()).name, name);
  });
});
