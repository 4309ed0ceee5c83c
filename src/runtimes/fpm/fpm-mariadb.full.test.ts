import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, connect as dial, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { describeBackups } from '#testkit/contracts/backup.contract.ts';
import { createSite, putProbe, request, wp } from '#testkit/contracts/contract-site.ts';
import { describeImports } from '#testkit/contracts/import.contract.ts';
import { describePhp } from '#testkit/contracts/php.contract.ts';
import { describePhpProcesses } from '#testkit/contracts/php-processes.contract.ts';
import { describeRuntime } from '#testkit/contracts/runtime.contract.ts';
import { describeShell } from '#testkit/contracts/shell.contract.ts';
import { noFpmOnMariadb, openFpmOnMariadb } from '#testkit/drivers/fpm-runtime.ts';
import { testMariadb } from '#testkit/drivers/mariadb.ts';
import { eventually } from '#testkit/expect.ts';

const name = 'native PHP on MariaDB';
const MB = 1024 * 1024;

/** Each line of what it answers is what one statement said, as the site's own PHP asks. */
const ASK = `
  require '/site/wordpress/wp-load.php';
  $wpdb->suppress_errors(true);
  foreach (json_decode(file_get_contents('php://input')) as $sql) {
    $rows = $wpdb->get_col($sql);
    echo $wpdb->last_error ? 'refused' : implode(',', $rows), "\\n";
  }`;

const why = await noFpmOnMariadb();
if (why) describe(name, () => it('can not be tried here', { skip: why }));
else {
  describe(name, () => {
    let driver: Awaited<ReturnType<typeof openFpmOnMariadb>>;
    let site: SiteSpec;
    let path: string;
    before(async () => {
      driver = await openFpmOnMariadb();
      site = await createSite(driver.runtime, 'rows.localhost');
      path = await putProbe(driver.runtime, site, 'ask.php', ASK);
    });
    after(() => driver.close());

    const ask = async (...statements: string[]): Promise<string[]> => {
      const answer = await request(driver.runtime, site, { method: 'POST', path, body: JSON.stringify(statements) });
      return answer.text.trimEnd().split('\n');
    };

    it('has a database of its own, by a socket, and reaches no other one', async () => {
      const { runtime } = driver;
      assert.equal(runtime.storage(site.id).database.kind, 'mariadb');
      const other = await createSite(runtime, 'other.localhost');
      const theirs = `site_${other.id.replaceAll('-', '')}`;
      assert.deepEqual(
        await ask(
          "SELECT option_value FROM wp_options WHERE option_name = 'home'",
          `SELECT 1 FROM ${theirs}.wp_options`,
          `CREATE TABLE ${theirs}.mine (a int)`,
          'SHOW DATABASES',
          "SELECT SUBSTRING_INDEX(HOST, ':', 1) FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()",
        ),
        [site.url, 'refused', 'refused', `information_schema,site_${site.id.replaceAll('-', '')}`, 'localhost'],
      );
      const shown = await runtime.exec(site, wp('db', 'query', 'SELECT COUNT(*) AS n FROM wp_posts WHERE ID = 1'));
      assert.equal(shown.stdout, 'n\n1\n', shown.stderr);
      assert.ok(Number((await runtime.exec(site, wp('db', 'size'))).stdout) > 100_000);
      await runtime.delete(other.id);
      assert.deepEqual(await ask(`SELECT 1 FROM ${theirs}.wp_options`), ['refused']);
    });

    it('counts its database, lets it read and remove alone without room, and write again with room', async () => {
      const { runtime } = driver;
      const empty = await runtime.diskUsageBytes(site.id);
      await ask('CREATE TABLE wp_big (id int PRIMARY KEY AUTO_INCREMENT, what longtext)', 'SELECT 1');
      runtime.setRoom(site.id, 1 * MB);
      const grow = () => ask(`INSERT INTO wp_big (what) VALUES (REPEAT('x', ${9 * MB}))`);
      await eventually(
        async () => (await grow().catch(() => ['refused']))[0] === 'refused' && (await grow())[0] === 'refused',
      );
      assert.ok((await runtime.diskUsageBytes(site.id)) > empty + 16 * MB);
      assert.deepEqual(
        await ask('SELECT id FROM wp_big WHERE id = 1', 'DELETE FROM wp_big', 'UPDATE wp_options SET autoload = 1'),
        ['1', '', 'refused'],
      );
      // What was removed is given back, and counts no more.
      await eventually(async () => {
        runtime.setRoom(site.id, -20 * MB);
        return (await runtime.diskUsageBytes(site.id)) < empty + 8 * MB;
      });
      runtime.setRoom(site.id, 10 * MB);
      await eventually(async () => (await ask("INSERT INTO wp_big (what) VALUES ('y')"))[0] === '');
    });

    it('is put aside with its database and comes back with it', async () => {
      const { runtime } = driver;
      await runtime.archive(site.id);
      assert.ok(!existsSync(runtime.contentFolder(site.id)));
      await runtime.unarchive(site.id);
      assert.deepEqual(await ask('SELECT COUNT(*) FROM wp_big'), ['1']);
    });

    it('reaches a server of the network past the guard, offline too, and nothing else there', async (t) => {
      const { address, account } = await testMariadb();
      const relay = await listen((socket) => pipeline(socket, dial(address.socket ?? ''), socket, () => {}));
      t.after(() => relay.close());
      const { port } = relay.address() as { port: number };
      // The accounts are made for whoever comes from this machine: the test's server has no other door.
      const url = `mariadb://${account.user}:${account.password}@127.0.0.1:${port}?tls=off`;
      const other = await openFpmOnMariadb({ databases: { newSites: 'mariadb', url, secret: 'network' } });
      t.after(() => other.close());
      const far = await createSite(other.runtime, 'far.localhost');
      const first = await request(other.runtime, far, { path: '/' });
      assert.equal(first.status, 200, first.text);
      const offline = { ...far, isOffline: true };
      const second = await request(other.runtime, offline, { path: '/' });
      assert.equal(second.status, 200, second.text);
      await other.runtime.delete(far.id);
    });
  });

  if (process.env.MARIADB === 'all') {
    describeRuntime(name, openFpmOnMariadb);
    describeBackups(name, openFpmOnMariadb);
    describeImports(name, openFpmOnMariadb);
    describePhp(name, openFpmOnMariadb);
    describePhpProcesses(name, ({ requestTimeoutMs }) => openFpmOnMariadb({ requestTimeoutMs }));
    describeShell(name, 'bash', openFpmOnMariadb);
  } else describe(name, () => it('passes every contract', { skip: 'the long form: MARIADB=all' }));
}

function listen(take: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(take);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
