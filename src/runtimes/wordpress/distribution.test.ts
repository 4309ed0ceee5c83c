import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { Distribution, PACKAGE } from './distribution.ts';

describe('releases of WordPress', () => {
  let server: Server;
  let base: string;
  let cache: string;
  let offered: string;
  let spoiled: boolean;
  let downloads: number;
  const archives = new Map<string, Buffer>();
  const outbound = new Outbound({ allow: ['127.0.0.0/8'] });

  before(async () => {
    for (const version of ['9.1', '9.2.3']) archives.set(version, await makeArchive(version));
    // What api.wordpress.org and wordpress.org answer.
    server = createServer((request, response) => {
      const [, version = '', isHash] = /^\/wordpress-([\d.]+)\.tar\.gz(\.sha1)?$/.exec(request.url ?? '') ?? [];
      const archive = archives.get(version);
      if (request.url === '/core/version-check/1.7/') {
        response.end(JSON.stringify({ offers: [{ response: 'upgrade', version: offered }] }));
      } else if (!archive) response.writeHead(404).end();
      else if (isHash) response.end(createHash('sha1').update(archive).digest('hex'));
      else {
        downloads++;
        response.end(spoiled ? Buffer.concat([archive, Buffer.from('x')]) : archive);
      }
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'wordpress-'));
    offered = '9.1';
    spoiled = false;
    downloads = 0;
  });

  const open = (source = { api: base, downloads: base }) =>
    new Distribution(cache, { outbound, source }, createLog('silent'));

  it('fetches the newest once and keeps older ones beside it', async () => {
    const distribution = open();
    assert.equal(await distribution.update(), true);
    assert.equal(await distribution.update(), false);
    assert.equal(downloads, 1);
    offered = '9.2.3';
    assert.equal(await distribution.update(), true);
    assert.deepEqual(await distribution.coreVersions(), ['9.2.3', '9.1']);
    assert.match(await readFile(join(distribution.coreFolder('9.1'), 'wp-includes/version.php'), 'utf8'), /'9\.1'/);
    assert.equal(existsSync(join(distribution.coreFolder('9.2.3'), 'wp-content/themes/one/style.css')), true);
    assert.equal(existsSync(join(distribution.coreFolder('9.2.3'), 'wp-content/plugins')), false);
    offered = '9.1';
    assert.equal(await distribution.update(), false, 'an older offer changes nothing');
  });

  it('fetches a version that a site has and this machine has not', async () => {
    const distribution = open();
    await mkdir(join(cache, 'tools', PACKAGE.name), { recursive: true });
    await distribution.require('9.1');
    await distribution.require('9.1');
    assert.equal(downloads, 1);
    assert.deepEqual(await distribution.coreVersions(), ['9.1']);
    await assert.rejects(distribution.require('9.9'), /answers 404/);
    await assert.rejects(new Distribution(cache, undefined, createLog('silent')).require('9.9'), /no source/);
  });

  it('keeps nothing of an archive with another hash', async () => {
    spoiled = true;
    const distribution = open();
    assert.equal(await distribution.update(), false);
    assert.equal(downloads, 1);
    assert.deepEqual(await distribution.coreVersions(), []);
    assert.deepEqual(
      (await readdir(cache)).filter((name) => name.startsWith('draft')),
      [],
    );
  });

  it('is content with what it has when nobody can be reached, or the answer makes no sense', async () => {
    offered = '../../etc';
    assert.equal(await open().update(), false);
    const nobody = { api: 'http://127.0.0.1:9', downloads: 'http://127.0.0.1:9' };
    assert.equal(await open(nobody).update(), false);
  });
});

async function makeArchive(version: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  const files = {
    'wordpress/wp-includes/version.php': `<?php\n$wp_version = '${version}';\n`,
    'wordpress/wp-content/themes/one/style.css': '/* one */',
    'wordpress/wp-content/plugins/hello.php': '<?php',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  execFileSync('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'wordpress']);
  return readFile(join(folder, 'a.tar.gz'));
}
