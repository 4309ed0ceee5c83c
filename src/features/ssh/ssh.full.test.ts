import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import type ssh2 from 'ssh2';
import type { SFTPWrapper } from 'ssh2';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { roomFor } from '#features/site-shell/site-shell.ts';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import type { Site } from '#sdk';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { addKey, connectSsh, type SshClient } from '#testkit/clients/ssh-client.ts';
import { giveContent } from '#testkit/contracts/shell.contract.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { runs } from '#testkit/running-processes.ts';

const ADDRESS = '127.0.0.1';

/** The calls of SFTP as promises. */
function callsOf(sftp: SFTPWrapper) {
  const of = <Name extends keyof SFTPWrapper>(name: Name) =>
    promisify((sftp[name] as (...args: never[]) => void).bind(sftp)) as (...args: unknown[]) => Promise<never>;
  return {
    writeFile: of('writeFile'),
    readFile: of('readFile') as (...args: unknown[]) => Promise<Buffer>,
    readdir: of('readdir') as (path: string) => Promise<{ filename: string }[]>,
    mkdir: of('mkdir'),
    rmdir: of('rmdir'),
    unlink: of('unlink'),
    rename: of('rename'),
    replace: of('ext_openssh_rename'),
    stat: of('stat') as (path: string) => Promise<{ mode: number; size: number; mtime: number }>,
    setstat: of('setstat'),
    symlink: of('symlink'),
    realpath: of('realpath') as (path: string) => Promise<string>,
    open: of('open') as (path: string, flags: string) => Promise<Buffer>,
    write: of('write'),
    close: of('close'),
  };
}

suite('by ssh, into real sandboxes', () => {
  let app: TestApp;
  let port: number;
  let ada: Person;
  let site: Site;
  let key: { id: string; privateKey: string };
  before(async () => {
    port = await freePort();
    // It costs no PHP while nobody visits the site.
    app = await startTestApp({ runtime: 'php-wasm', env: { SSH_PORT: String(port), RATE_LIMIT_FACTOR: '1' } });
    ada = await registerPerson(app, 'Ada');
    await putOnPlan(app, ada.teamId, 'micro');
    site = await newSite(ada);
    await giveContent(app, site);
    key = await addKey(ada);
  });
  after(() => app?.close());

  const connect = (more: object = {}): Promise<SshClient> =>
    connectSsh({ port, username: site.fqdn, privateKey: key.privateKey, ...more });
  const contentOf = (path: string) => join(app.runtime.contentFolder(site.id), path);
  const shellEvents = async () =>
    (await ada.api.listSiteEvents({ params: { fqdn: site.fqdn } })).results.filter(
      ({ event_type }) => event_type === 'site.shell',
    );

  test('a command has its input, both its streams and its exit code, byte for byte, and no more than its first word is told', async () => {
    const { run, client } = await connect();
    const input = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    const { stdout, stderr, code } = await run('cat; echo secret-word >&2; exit 7', input);
    assert.deepEqual({ stderr, code }, { stderr: 'secret-word\n', code: 7 });
    assert.ok(stdout.equals(input));
    const env = { LANG: 'de_DE.UTF-8', LC_TIME: 'C', EVIL: 'x', LC_ALL: '$(id)' };
    const seen = await run('pwd; echo $LANG $LC_TIME [$EVIL] [$LC_ALL]; kill -9 $$', '', { env });
    assert.equal(seen.stdout.toString(), '/site/wordpress/wp-content\nde_DE.UTF-8 C [] []\n');
    assert.equal(seen.code, 137);
    client.end();
    const [last, first] = await shellEvents();
    assert.deepEqual([first?.detail, last?.detail.first_word], [{ first_word: 'cat', command_length: 33 }, 'pwd']);
    assert.ok(!JSON.stringify(await shellEvents()).includes('secret'));
    const [listed] = (await ada.api.listSshKeys()).results;
    assert.ok(listed?.last_used_at);
  });

  test('a shell is at a terminal that changes its size, and signals reach what runs without one', async () => {
    const { shell, client } = await connect();
    const channel = await shell({ cols: 91, rows: 17, term: 'xterm' });
    let shown = '';
    channel.on('data', (bytes: Buffer) => {
      shown += bytes;
    });
    const expect = (text: string) => eventually(async () => shown.includes(text));
    channel.write('stty size\n');
    await expect('17 91');
    channel.setWindow(40, 120, 0, 0);
    channel.write('stty size\n');
    await expect('40 120');
    const exit = new Promise((resolve) => channel.on('exit', resolve));
    channel.write('exit 9\n');
    assert.equal(await exit, 9);
    const plain = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      client.exec('trap "echo caught; exit 5" TERM; echo begun; sleep 40404 & wait', (error, opened) =>
        error ? reject(error) : resolve(opened),
      ),
    );
    const code = new Promise((resolve) => plain.on('exit', resolve));
    await new Promise((resolve) => plain.once('data', resolve));
    plain.signal('TERM');
    plain.resume();
    assert.equal(await code, 5);
    client.end();
  });

  test('what a client leaves behind does not go on, and nothing is forwarded', async () => {
    const { client } = await connect();
    client.exec('setsid sleep 50505 & sleep 50505', () => {});
    await eventually(async () => runs('50505'));
    const forward = promisify(client.forwardOut.bind(client));
    await assert.rejects(forward(ADDRESS, 1, ADDRESS, port), /open failure|prohibited/i);
    await assert.rejects(promisify(client.forwardIn.bind(client))(ADDRESS, 0), /Unable to bind/);
    client.end();
    await eventually(async () => !runs('50505'));
  });

  test('files are read, written, listed and changed as the site, and links lead nowhere else', async () => {
    const { sftp, client } = await connect();
    const files = callsOf(await sftp());
    assert.equal(await files.realpath('.'), '/site/wordpress/wp-content');
    await files.mkdir('uploads/many');
    for (let at = 0; at < 250; at++) await files.close(await files.open(`uploads/many/${at}`, 'w'));
    assert.equal((await files.readdir('uploads/many')).length, 250);
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 7) % 253));
    await files.writeFile('uploads/a.bin', bytes);
    assert.ok((await files.readFile('uploads/a.bin')).equals(bytes));
    const handle = await files.open('uploads/a.bin', 'r+');
    await files.write(handle, Buffer.from('HELLO'), 0, 5, 500_000);
    await files.close(handle);
    assert.equal((await files.readFile('uploads/a.bin')).subarray(500_000, 500_005).toString(), 'HELLO');
    await files.setstat('uploads/a.bin', { mode: 0o4600, atime: 1, mtime: 1_000_000_000 });
    const { mode, mtime, size } = await files.stat('uploads/a.bin');
    assert.deepEqual([mode & 0o7777, mtime, size], [0o600, 1_000_000_000, 1_000_000]);
    await files.writeFile('uploads/b.bin', 'b');
    await assert.rejects(files.rename('uploads/b.bin', 'uploads/a.bin'), /something of that name/);
    await files.replace('uploads/b.bin', 'uploads/a.bin');
    assert.equal(readFileSync(contentOf('uploads/a.bin'), 'utf8'), 'b');
    await assert.rejects(files.rmdir('uploads/many'), /not empty/i);
    await assert.rejects(files.readFile(app.services.config.dataDir), /no such|missing/i);
    const secret = join(app.services.config.dataDir, 'a-secret');
    writeFileSync(secret, 'secret');
    // To servers that are not OpenSSH this client names the two the other way round.
    await files.symlink('uploads/out', secret);
    symlinkSync(secret, contentOf('uploads/out2'));
    for (const name of ['uploads/out', 'uploads/out2', `../../..${secret}`])
      await assert.rejects(files.readFile(name), /no such/i, name);
    client.end();
    const [event] = await shellEvents();
    assert.equal(event?.detail.first_word, 'sftp');
  });

  test('no more is uploaded than the plan has room for, and what does not grow still is', async () => {
    const { db } = app.services;
    const most = await roomFor(db, (await findSiteById(db, site.id)) as SiteRow);
    const { sftp, client } = await connect();
    const files = callsOf(await sftp());
    const used = await app.runtime.diskUsageBytes(site.id);
    const handle = await files.open('uploads/huge', 'w');
    await assert.rejects(files.write(handle, Buffer.from('x'), 0, 1, most - used + 10), /used up/);
    await files.write(handle, Buffer.from('x'), 0, 1, 0);
    client.end();
  });

  test('unknown keys, sites and people without the right are told the same, and too many tries are no longer heard', async () => {
    const viewer = await registerPerson(app, 'Vic');
    await letIn(ada, viewer, 'viewer');
    const stranger = await registerPerson(app, 'Sam');
    const { privateKey } = newSshKey('nobody');
    const before = app.services.limits.peek('failedSsh', ADDRESS).remaining;
    for (const more of [
      { privateKey },
      { username: 'nobody.localhost' },
      { username: '' },
      { privateKey: (await addKey(viewer)).privateKey },
      { privateKey: (await addKey(stranger)).privateKey },
      { privateKey: undefined, password: 'a password' },
    ]) {
      const startedAt = performance.now();
      await assert.rejects(connect(more), /authentication methods failed/);
      assert.ok(performance.now() - startedAt >= 95);
    }
    assert.equal(app.services.limits.peek('failedSsh', ADDRESS).remaining, before - 6);
    const { limits } = app.services;
    for (let each = 0; each < 60; each++) limits.take('failedSsh', ADDRESS);
    await assert.rejects(connect(), /lost|reset/i);
    for (let each = 0; each < 60; each++) limits.giveBack('failedSsh', ADDRESS);
    const { client } = await connect();
    client.end();
  });

  test('a connection ends at once with its key, with the membership and with work on the site', async () => {
    const bob = await registerPerson(app, 'Bob');
    await letIn(ada, bob, 'member');
    const theirs = await addKey(bob);
    const begin = async (privateKey: string, mark: string) => {
      const { client, closed } = await connect({ privateKey });
      client.exec(`sleep ${mark}`, () => {});
      await eventually(async () => runs(mark));
      return { closed };
    };
    const byKey = await begin(theirs.privateKey, '60601');
    await bob.api.deleteSshKey({ params: { ssh_key_id: theirs.id } });
    await byKey.closed;
    await eventually(async () => !runs('60601'));
    const again = await addKey(bob);
    const byMembership = await begin(again.privateKey, '60602');
    const own = await begin(key.privateKey, '60603');
    await ada.api.removeMember({ params: { team_id: ada.teamId, team_member_user_id: bob.userId } });
    await byMembership.closed;
    await eventually(async () => !runs('60602'));
    assert.ok(runs('60603'));
    await assert.rejects(connect({ privateKey: again.privateKey }), /authentication methods failed/);
    const letGo = await holdSite(app, site.id, 'restoring');
    await own.closed;
    assert.ok(!runs('60603'));
    // Whoever comes while the site is being let go may be sent away with the others.
    await eventually(async () => {
      const { run, client } = await connect();
      const { stderr, code } = await run('true');
      client.end();
      return /busy/.test(stderr) && code === 255;
    });
    await letGo();
  });

  test('no program starts for an account whose address is not confirmed, and the client is told why', async () => {
    const eve = await registerPerson(app, 'Eve', { verified: false });
    const { fqdn } = await newSite(eve);
    const { privateKey } = await addKey(eve);
    const { run, client } = await connect({ username: fqdn, privateKey });
    const { stdout, stderr, code } = await run('echo in');
    client.end();
    assert.deepEqual([stdout.toString(), code], ['', 255]);
    assert.match(stderr.toString(), /^Confirm your email address first/);
  });

  test('a process without sites lets people in to those of another, under the same host key', async () => {
    const env = { ROLE: 'api', SSH_PORT: String(await freePort()) };
    const second = await startTestApp({ runtime: 'php-wasm', databaseUrl: app.databaseUrl, env });
    try {
      let hostKey: Buffer = Buffer.alloc(0);
      const hostVerifier = (shown: Buffer) => {
        hostKey = shown;
        return true;
      };
      const { run, sftp, client, closed } = await connect({ port: Number(env.SSH_PORT), hostVerifier });
      const { host_key } = await ada.api.getSshServer();
      assert.equal(`ssh-ed25519 ${hostKey.toString('base64')}`, host_key);
      const input = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 249));
      assert.ok((await run('cat', input)).stdout.equals(input));
      const files = callsOf(await sftp());
      await files.writeFile('uploads/far.bin', input);
      assert.ok((await files.readFile('uploads/far.bin')).equals(input));
      client.exec('sleep 70707', () => {});
      await eventually(async () => runs('70707'));
      client.end();
      await closed;
      await eventually(async () => !runs('70707'));
    } finally {
      await second.close();
    }
  });

  test('a client that agrees on packets of nothing is sent away, and everybody else is served', async () => {
    const { client, closed } = await connect();
    const { _protocol: protocol, _chanMgr: channels } = client as unknown as {
      _protocol: {
        session(id: number, window: number, packetSize: number): void;
        exec(id: number, command: string, wantsReply: boolean): void;
      };
      _chanMgr: { add(opened: () => void): number };
    };
    const id = channels.add(() => {});
    protocol.session(id, 1_000_000, 0);
    await eventually(async () => (await app.services.db.selectFrom('sites').select('id').execute()).length > 0);
    protocol.exec(0, 'echo x', false);
    await closed;
    const { run, client: other } = await connect();
    assert.equal((await run('echo fine')).stdout.toString(), 'fine\n');
    other.end();
  });
});

suite('by ssh, where the machine has no sandbox', () => {
  let app: TestApp;
  let port: number;
  let ada: Person;
  let site: Site;
  before(async () => {
    port = await freePort();
    app = await startTestApp({ env: { SSH_PORT: String(port) } });
    ada = await registerPerson(app, 'Ada');
    site = await newSite(ada);
  });
  after(() => app?.close());

  test('commands go to the limited shell, and files are served without links', async () => {
    const { privateKey } = await addKey(ada);
    const { run, sftp, client } = await connectSsh({ port, username: site.fqdn, privateKey });
    const { stdout, stderr, code } = await run('pwd; cat; echo err >&2; exit 3', 'typed\n');
    assert.deepEqual([stdout.toString(), stderr, code], ['/site/wordpress/wp-content\ntyped\n', 'err\n', 3]);
    const files = callsOf(await sftp());
    await files.writeFile('uploads/a.txt', 'hello');
    assert.equal(readFileSync(join(app.runtime.contentFolder(site.id), 'uploads/a.txt'), 'utf8'), 'hello');
    await files.setstat('uploads/a.txt', { mode: 0o600 });
    assert.equal((await files.stat('uploads/a.txt')).mode & 0o777, 0o600);
    await assert.rejects(files.symlink('uploads/out', '/etc/passwd'), /can not be made/);
    symlinkSync('/etc/passwd', join(app.runtime.contentFolder(site.id), 'out'));
    symlinkSync('/etc', join(app.runtime.contentFolder(site.id), 'folder'));
    for (const name of ['out', 'folder/passwd', '/etc/passwd', '../../../../etc/passwd'])
      await assert.rejects(files.readFile(name), /Links|over a link|nothing but/, name);
    client.end();
  });

  test('a team has 30 terminals, whether they are in the browser or came by ssh', async () => {
    const { privateKey } = await addKey(ada);
    const { run, client } = await connectSsh({ port, username: site.fqdn, privateKey });
    const others = Array.from({ length: 3 }, () => connectSsh({ port, username: site.fqdn, privateKey }));
    const opened = await Promise.all(others);
    const shells = await Promise.all(
      opened.flatMap(({ shell }) => Array.from({ length: 10 }, () => shell({ cols: 80, rows: 24 }))),
    );
    await Promise.all(shells.map((channel) => new Promise((resolve) => channel.once('data', resolve))));
    const refused = await run('true');
    assert.match(refused.stderr, /30 terminals/);
    assert.equal(refused.code, 255);
    opened[0]?.client.end();
    await eventually(async () => (await run('true')).code === 0);
    for (const each of opened) each.client.end();
    client.end();
  });
});
