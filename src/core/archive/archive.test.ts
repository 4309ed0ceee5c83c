import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { ENTRY_LIMIT, GOOD, hostileArchives, UNPACKED_LIMIT } from '#testkit/archives/hostile-archives.ts';
import { pax, tar, tarGz, zip } from '#testkit/archives/pack.ts';
import { ArchiveRefused } from './archive-refused.ts';
import { unpackSite } from './unpack-site.ts';

const LIMITS = { maxBytes: UNPACKED_LIMIT, maxEntries: ENTRY_LIMIT };
let folder: string;
let runs = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-archive-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function unpack(bytes: Buffer) {
  for (const left of await readdir(folder)) await rm(join(folder, left), { recursive: true });
  const scratch = join(folder, `scratch-${runs++}`);
  await mkdir(scratch);
  const file = join(scratch, 'archive');
  await writeFile(file, bytes);
  const target = { content: join(scratch, 'content'), dump: join(scratch, 'dump.sql') };
  return { scratch, target, done: unpackSite(file, LIMITS, target) };
}

async function filesBelow(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1)).sort();
}

suite('a site comes out of its archive', () => {
  const kinds = { zip: zip(GOOD), 'tar.gz': tarGz(GOOD), 'tar.zst': zstdCompressSync(tar(GOOD)) };
  for (const [kind, bytes] of Object.entries(kinds)) {
    test(`whole, of a ${kind}`, async () => {
      const { target, done } = await unpack(bytes);
      assert.deepEqual(await done, { plugins: ['hello'], themes: ['plain'], readme: null });
      assert.deepEqual(await filesBelow(target.content), ['plugins/hello/hello.php', 'themes/plain/style.css']);
      assert.equal(await readFile(target.dump, 'utf8'), GOOD[2]?.data);
    });
  }

  test('wherever exporting tools put it, without what is WordPress itself or another host’s', async () => {
    const { target, done } = await unpack(
      zip([
        { name: 'files/wp-config.php', data: 'secret' },
        { name: 'files/wp-admin/index.php', data: 'core' },
        { name: 'files/wp-content/plugins/a/a.php', data: 'a', mode: 0o100755 },
        { name: 'files/wp-content/db.php', data: 'evil' },
        { name: 'files/wp-content/object-cache.php', data: 'evil' },
        { name: 'files/wp-content/cache/page.html', data: 'stale' },
        { name: 'files/wp-content/uploads/2024/photo.jpg', data: 'photo' },
        { name: 'files/wp-content/plugins/a/schema.sql', data: 'not the dump' },
        { name: 'dup-installer/dup-database__1.sql', data: 'the dump' },
        { name: 'files/README.md', data: '# Hello' },
        { name: '__MACOSX/files/wp-content/._x', data: 'litter' },
      ]),
    );
    assert.deepEqual(await done, { plugins: ['a'], themes: [], readme: '# Hello' });
    const files = ['plugins/a/a.php', 'plugins/a/schema.sql', 'uploads/2024/photo.jpg'];
    assert.deepEqual(await filesBelow(target.content), files);
    assert.equal(await readFile(target.dump, 'utf8'), 'the dump');
    assert.equal((await stat(join(target.content, 'plugins/a/a.php'))).mode & 0o777, 0o600);
  });

  test('with names that are too long for a plain tar header', async () => {
    const long = `content/uploads/${'long/'.repeat(30)}é.jpg`;
    const { target, done } = await unpack(
      tarGz([...GOOD, { name: 'x', type: 'x', data: pax('path', long) }, { name: 'short', data: 'photo' }]),
    );
    await done;
    assert.equal(await readFile(join(target.content, long.slice('content/'.length)), 'utf8'), 'photo');
  });
});

suite('a hostile archive is refused with a reason, and writes nothing outside of its folder', () => {
  for (const { name, bytes, says } of hostileArchives()) {
    test(name, async () => {
      const { scratch, done } = await unpack(bytes);
      await assert.rejects(done, (error: Error) => {
        assert.ok(error instanceof ArchiveRefused, String(error.stack));
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(
        (await filesBelow(folder)).filter((file) => !join(folder, file).startsWith(`${scratch}/`)),
        [],
      );
    });
  }
});
