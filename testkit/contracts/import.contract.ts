import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { ArchiveSource, Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { dumpOf } from '../archives/dump.ts';
import { type Packed, zip } from '../archives/pack.ts';
import { copyStorage, type DriverUnderTest, firstContent, newSpec, request } from './contract-site.ts';

const SHOP = `CREATE TABLE \`abc_shop\` (\`id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT, \`sku\` varchar(40) NOT NULL DEFAULT '',
  \`price\` decimal(10,2) DEFAULT NULL, \`raw\` varbinary(20) DEFAULT NULL, \`at\` datetime DEFAULT NULL, PRIMARY KEY (\`id\`), UNIQUE KEY \`sku\` (\`sku\`));
INSERT INTO \`abc_shop\` VALUES (5,'A-1',9.99,0x00ff,'2024-01-01 00:00:00');`;

function sourceOf(bytes: Buffer): ArchiveSource {
  return { sizeBytes: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) };
}

/** A site from elsewhere, with a table of its own and another prefix. */
const siteArchive = (...more: Packed[]) =>
  zip([
    { name: 'content/plugins/shop/shop.php', data: '<?php' },
    { name: 'content/themes/child/style.css', data: '/*\nTheme Name: Child\nTemplate: twentytwentyfive\n*/' },
    { name: 'content/uploads/photo.txt', data: 'a photo' },
    { name: 'content/db.php', data: '<?php exit("evil");' },
    { name: 'README.md', data: '# A shop' },
    { name: 'database.sql', data: dumpOf({ prefix: 'abc_', extra: SHOP }) },
    ...more,
  ]);

/** What every driver makes of the archives of strangers. */
export function describeImports(name: string, open: () => Promise<DriverUnderTest>): void {
  describe(`import contract: ${name}`, () => {
    let driver: DriverUnderTest;
    let runtime: Runtime;
    let template: SiteSpec;
    before(async () => {
      driver = await open();
      ({ runtime } = driver);
      template = { ...newSpec(await runtime.prepared(), 'template.invalid'), isOffline: true, isCopy: true };
    });
    after(() => driver.close());

    const ask = async (site: SiteSpec, sql: string) => {
      const database = await runtime.database(site.id);
      const rows = await database.query(sql).finally(() => database.close());
      return rows.map((row) => Object.values(row));
    };

    it('tells what an archive holds, and refuses one that no site can be made of', async () => {
      const archive = sourceOf(siteArchive());
      assert.deepEqual(await runtime.inspect(archive, 'child'), { plugins: ['shop'], readme: '# A shop' });
      await assert.rejects(runtime.inspect(archive, '../evil'), ArchiveRefused);
    });

    it('makes a template of it: its content, its rows under our prefix, and nothing of its people', async () => {
      await runtime.import(template, sourceOf(siteArchive()), { people: 'none', theme: 'child' });
      const content = runtime.contentFolder(template.id);
      assert.equal(await readFile(join(content, 'uploads/photo.txt'), 'utf8'), 'a photo');
      assert.doesNotMatch(await readFile(join(content, 'db.php'), 'utf8').catch(() => ''), /evil/);
      const options =
        "select option_value from wp_options where option_name in ('template', 'stylesheet', 'home', 'admin_email') order by option_name";
      assert.deepEqual((await ask(template, options)).flat(), ['', template.url, 'child', 'twentytwentyfive']);
      assert.deepEqual(await ask(template, 'select ID, user_login, user_pass from wp_users'), [[1, 'admin', '!']]);
      assert.deepEqual(await ask(template, "select count(*) from wp_usermeta where meta_key = 'session_tokens'"), [
        [0],
      ]);
      assert.deepEqual(await ask(template, 'select ID, post_author, post_title from wp_posts'), [
        [7, 1, 'A post; of seven'],
      ]);
      assert.match(
        String(await ask(template, 'select post_content from wp_posts')),
        /href="http:\/\/template\.invalid:8080\/seven\/"/,
      );
      assert.deepEqual(await ask(template, 'select id, sku, price + 0e0, hex(raw), at from wp_shop'), [
        [5, 'A-1', 9.99, '00FF', '2024-01-01 00:00:00'],
      ]);
      assert.match(
        String(await ask(template, "select option_value from wp_options where option_name = 'blogdescription'")),
        /It's "quoted" \\ café 😀/,
      );
    });

    it('makes a site of the template for whoever asks, and nobody else gets in', async () => {
      const site = newSpec(template, 'mine.localhost');
      const first = firstContent('Mine & only');
      await runtime.adopt(site, (storage) => copyStorage(runtime.storage(template.id), storage), {
        people: 'first',
        first,
      });
      const page = await request(runtime, site, { path: '/' });
      assert.equal(page.status, 200);
      assert.match(page.text, /Mine &amp; only/);
      const { username, email, passwordHash } = first.admin;
      assert.deepEqual(await ask(site, 'select user_login, user_email, user_pass from wp_users'), [
        [username, email, passwordHash],
      ]);
    });

    it('keeps the people of a site that somebody imports, and its title', async () => {
      const site = newSpec(template, 'imported.localhost');
      await runtime.import(site, sourceOf(siteArchive()), { people: 'kept', email: 'ada@example.com' });
      assert.deepEqual(await ask(site, 'select user_login, user_pass from wp_users'), [
        ['mallory', '$P$BmallorysHash'],
      ]);
      assert.deepEqual(await ask(site, "select option_value from wp_options where option_name = 'blogname'"), [
        ['Old title'],
      ]);
    });

    it('gives such a site an administrator where nobody in it is one', async () => {
      const administrators = (site: SiteSpec) =>
        ask(
          site,
          `select user_login, user_email, user_pass from wp_users join wp_usermeta on user_id = ID
           where meta_key = 'wp_capabilities' and meta_value like '%administrator%'`,
        );
      const dump = dumpOf().replace(`'a:1:{s:13:"administrator";b:1;}'`, `'a:1:{s:6:"editor";b:1;}'`);
      const archive = sourceOf(zip([{ name: 'content/x' }, { name: 'database.sql', data: dump }]));
      const [known, added] = [newSpec(template, 'known.localhost'), newSpec(template, 'added.localhost')];
      await runtime.import(known, archive, { people: 'kept', email: 'mallory@example.com' });
      await runtime.import(added, archive, { people: 'kept', email: 'ada@example.com' });
      assert.deepEqual(await administrators(known), [['mallory', 'mallory@example.com', '$P$BmallorysHash']]);
      assert.deepEqual(await administrators(added), [['admin', 'ada@example.com', '!']]);
    });

    it('leaves nothing of one that is refused', async () => {
      const refused = newSpec(template, 'refused.localhost');
      const archive = sourceOf(
        zip([{ name: 'content/x' }, { name: 'database.sql', data: dumpOf({ home: 'nowhere' }) }]),
      );
      await assert.rejects(runtime.import(refused, archive, { people: 'none' }), /which address/);
      assert.equal(existsSync(runtime.contentFolder(refused.id)), false);
      const data = dirname(dirname(dirname(runtime.contentFolder(refused.id))));
      assert.deepEqual(await readdir(join(data, 'imports')), []);
      await runtime.delete(refused.id);
      assert.ok(!(await runtime.list()).includes(refused.id));
    });
  });
}
