import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { GitFailed, type GitFailure } from '#core/git.ts';
import { Outbound } from '#core/outbound.ts';
import { serveRepositories, startHttps } from '#testkit/git/https-host.ts';
import { Remote } from '#testkit/git/remote.ts';
import { git, makeRepository } from '#testkit/git/repository.ts';
import { type SshHost, startSshd } from '#testkit/git/ssh-host.ts';
import { startNameServer } from '#testkit/servers/name-server.ts';
import { GitClient } from './git.ts';
import type { GitOptions } from './git-runs.ts';
import { newSshKey } from './ssh-key.ts';

const FILES = { 'plugins/hello/hello.php': '<?php', 'themes/one/style.css': '', 'README.md': 'hi' };
let folder: string;
let repositories: string;
let commit: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-git-'));
  repositories = join(folder, 'repositories');
  await mkdir(repositories);
  commit = await makeRepository(join(repositories, 'site.git'), FILES, {
    next: { 'wp-content/themes/x/style.css': '' },
  });
  await git(join(repositories, 'site.git'), 'tag', 'v1', 'main');
});
after(() => rm(folder, { recursive: true, force: true }));

function client(more: Partial<GitOptions> = {}): GitClient {
  const outbound = new Outbound({ allow: ['127.0.0.0/8'] });
  return new GitClient({ outbound, folder: join(folder, 'client'), fileRoots: [repositories], ...more });
}

const failed = (reason: GitFailure) => (error: unknown) => {
  assert.ok(error instanceof GitFailed, String(error));
  assert.equal(error.reason, reason, error.message);
  return true;
};
const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name).sort();

/** Looks at what a repository holds, by URL. */
const lookAt = (url: string, options: Parameters<GitClient['look']>[1] = {}, using = client()) =>
  using.look(using.readUrl(url), options);

async function withHttps<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const host = await startHttps(listener);
  try {
    return await work(host.url);
  } finally {
    await host.close();
  }
}

suite('a repository is read', () => {
  const check = async (url: string, options: Parameters<GitClient['look']>[1] = {}) => {
    const found = await lookAt(url, options);
    assert.deepEqual([found.branch, found.commit], ['main', commit]);
    assert.deepEqual(names(found.root), ['README.md', 'plugins', 'themes']);
    const next = await lookAt(url, { ...options, branch: 'next', folders: ['wp-content', 'plugins'] });
    assert.equal(next.branch, 'next');
    assert.deepEqual(
      [...next.folders].map(([name, entries]) => [name, names(entries)]),
      [['wp-content', ['themes']]],
    );
    for (const branch of ['missing', 'v1'])
      await assert.rejects(lookAt(url, { ...options, branch }), failed('no_branch'));
    assert.deepEqual(await readdir(join(folder, 'client', 'looks')), [], 'something stayed behind');
  };

  test('over https, through a guarded connection', () =>
    withHttps(
      (request, response) => serveRepositories(repositories, request, response),
      (url) => check(`${url}/site.git`),
    ));

  test('from a folder that the operator opened', () => check(`file://${join(repositories, 'site.git')}`));

  test('over ssh with a key', async () => {
    const sshd = await startSshd();
    try {
      const { publicKey, privateKey } = newSshKey('siteyard');
      await sshd.authorize(publicKey);
      const url = `ssh://${sshd.user}@127.0.0.1:${sshd.port}${join(repositories, 'site.git')}`;
      await check(url, { credential: { privateKey } });
      await checkByName(sshd, privateKey);
      await assert.rejects(lookAt(url), failed('needs_credentials'));
      const other = { privateKey: newSshKey('another').privateKey };
      await assert.rejects(lookAt(url, { credential: other }), failed('needs_credentials'));
      await assert.rejects(
        lookAt(url.replace('site.git', 'none.git'), { credential: { privateKey } }),
        failed('not_found'),
      );
      await checkHostKey(sshd, url, privateKey);
    } finally {
      await sshd.close();
    }
  });

  /** The name is known to the resolver that was asked and to no other, so ssh can not have asked anybody itself. */
  async function checkByName(sshd: SshHost, privateKey: string): Promise<void> {
    const dns = await startNameServer({ 'code.example.org': 'git A 127.0.0.1' });
    const outbound = new Outbound({ allow: ['127.0.0.1/32'], dnsServers: [dns.address] });
    const url = `ssh://${sshd.user}@git.code.example.org:${sshd.port}${join(repositories, 'site.git')}`;
    try {
      assert.equal((await lookAt(url, { credential: { privateKey } }, client({ outbound }))).commit, commit);
    } finally {
      await dns.close();
    }
  }

  async function checkHostKey(sshd: SshHost, url: string, privateKey: string): Promise<void> {
    await sshd.changeKey();
    await assert.rejects(lookAt(url, { credential: { privateKey } }), failed('host_key'));
  }
});

suite('a fetch', () => {
  test('brings the files of one commit, and the next time only what changed', async () => {
    const path = join(repositories, 'fetched.git');
    const noise = randomBytes(300_000).toString('base64');
    const remote = await Remote.create(path, { 'plugins/a.php': 'one', 'plugins/big.bin': noise });
    const using = client({ folder: join(folder, 'fetching') });
    const fetch = () =>
      using.withTree(using.readUrl(remote.url), { cache: 'a-site' }, async (tree) => {
        const files = await tree.files(['plugins']);
        const contents = await tree.read(files);
        return { commit: tree.commit, files: files.map(({ path: name }, at) => [name, contents[at]?.toString()]) };
      });
    const packs = () => join(folder, 'fetching/kept/a-site/objects/pack');
    const sizes = async () => {
      const names = (await readdir(packs())).filter((name) => name.endsWith('.pack'));
      return Promise.all(names.map(async (name) => (await stat(join(packs(), name))).size));
    };
    assert.deepEqual(await fetch(), {
      commit: remote.head,
      files: [
        ['plugins/a.php', 'one'],
        ['plugins/big.bin', noise],
      ],
    });
    const [first = 0] = await sizes();
    await remote.push({ 'plugins/a.php': 'two' });
    const second = await fetch();
    assert.deepEqual([second.commit, second.files[0]], [remote.head, ['plugins/a.php', 'two']]);
    const all = await sizes();
    assert.ok(all.length === 2 && all.some((size) => size < first / 100), String(all));
    // What was kept can be broken or gone.
    await rm(packs(), { recursive: true });
    assert.equal((await fetch()).files[0]?.[1], 'two');
  });
});

suite('a token', () => {
  const token = 'planted-token-of-git';
  const expected = `Basic ${Buffer.from(`someone:${token}`).toString('base64')}`;

  test('opens a repository that is closed to others, and stands in no argument of a process', async () => {
    const seen: string[] = [];
    const guarded: RequestListener = async (request, response) => {
      seen.push(...(await commandLines()));
      if (request.headers.authorization === expected) return serveRepositories(repositories, request, response);
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    };
    await withHttps(guarded, async (url) => {
      await assert.rejects(lookAt(`${url}/site.git`), failed('needs_credentials'));
      const wrong = { username: 'someone', token: 'wrong' };
      await assert.rejects(lookAt(`${url}/site.git`, { credential: wrong }), failed('needs_credentials'));
      assert.equal((await lookAt(`${url}/site.git`, { credential: { username: 'someone', token } })).commit, commit);
    });
    assert.ok(
      seen.some((line) => line.includes('git') && line.includes('clone')),
      'git was not seen at all',
    );
    assert.equal(seen.filter((line) => line.includes(token) || line.includes(expected)).length, 0);
  });

  test('never goes to the host that another one sends on to', async () => {
    const stolen: (string | undefined)[] = [];
    const thief: RequestListener = (request, response) => {
      stolen.push(request.headers.authorization);
      serveRepositories(repositories, request, response);
    };
    await withHttps(thief, (target) =>
      withHttps(
        (request, response) => void response.writeHead(302, { location: `${target}${request.url}` }).end(),
        async (url) => {
          await assert.rejects(
            lookAt(`${url}/site.git`, { credential: { username: 'someone', token } }),
            failed('refused'),
          );
          assert.deepEqual(stolen, []);
          // Without a credential there is nothing to lose.
          assert.equal((await lookAt(`${url}/site.git`)).commit, commit);
        },
      ),
    );
    assert.deepEqual(stolen.filter(Boolean), []);
  });
});

async function commandLines(): Promise<string[]> {
  const { readFile } = await import('node:fs/promises');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
}

suite('an end comes', () => {
  test('to a repository that is too large, and nothing of it stays', async () => {
    await makeRepository(join(repositories, 'huge.git'), { 'plugins/big.bin': randomBytes(20_000_000) });
    const small = () => client({ limits: { maxBytes: 2_000_000 } });
    await assert.rejects(lookAt(`file://${join(repositories, 'huge.git')}`, {}, small()), failed('too_large'));
    await withHttps(
      (request, response) => serveRepositories(repositories, request, response),
      (url) => assert.rejects(lookAt(`${url}/huge.git`, {}, small()), failed('too_large')),
    );
    assert.deepEqual(await readdir(join(folder, 'client', 'looks')), []);
  });

  test('to a server that never stops to name branches', async () => {
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write(`${line('# service=git-upload-pack\n')}0000`);
      response.write(line(`${'1'.repeat(40)} HEAD\0 agent=x\n`));
      let at = 0;
      const more = () => {
        while (response.write(line(`${'1'.repeat(40)} refs/heads/b${at++}\n`).repeat(500)));
      };
      response.on('drain', more);
      more();
    };
    await withHttps(endless, (url) =>
      assert.rejects(lookAt(`${url}/x.git`, {}, client({ limits: { maxBytes: 3_000_000 } })), failed('too_large')),
    );
  });

  test('to a server that says nothing, and to whoever waits for their turn behind it', async () => {
    const impatient = client({ limits: { timeoutMs: 700 } });
    await withHttps(
      () => {},
      async (url) => {
        const looks = Array.from({ length: 6 }, () => lookAt(`${url}/x.git`, {}, impatient));
        for (const look of looks) look.catch(() => {});
        for (const look of looks) await assert.rejects(look, failed('timeout'));
      },
    );
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const url = `ssh://git@127.0.0.1:${(mute.address() as AddressInfo).port}/x.git`;
    await assert.rejects(lookAt(url, {}, impatient), failed('timeout'));
    mute.close();
  });

  test('to one person’s looks later than to everybody else’s', async () => {
    const shared = client();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const hesitant: RequestListener = (_request, response) => void released.then(() => response.destroy());
    await withHttps(hesitant, async (url) => {
      const slow = Array.from({ length: 8 }, () => lookAt(`${url}/x.git`, { who: 'slow' }, shared));
      const ends = slow.map((look) => assert.rejects(look, failed('unreachable')));
      assert.equal((await lookAt(`file://${join(repositories, 'site.git')}`, { who: 'quick' }, shared)).commit, commit);
      release();
      await Promise.all(ends);
    });
  });

  test('where nobody listens, git is missing or there is no commit', async () => {
    await assert.rejects(lookAt('https://127.0.0.1:1/x.git'), failed('unreachable'));
    await assert.rejects(lookAt('ssh://git@127.0.0.1:1/x.git'), failed('unreachable'));
    const url = `file://${join(repositories, 'site.git')}`;
    await assert.rejects(lookAt(url, {}, client({ program: 'no-such-git' })), failed('not_configured'));
    await git(repositories, 'init', '--quiet', '--bare', 'empty.git');
    await assert.rejects(lookAt(`file://${join(repositories, 'empty.git')}`), failed('empty'));
    await assert.rejects(lookAt(`file://${join(repositories, 'none.git')}`), failed('refused'));
  });
});

suite('what is hostile is refused before anything is opened', () => {
  test('URLs', async () => {
    let connections = 0;
    const trap = createServer(() => connections++);
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const { port } = trap.address() as AddressInfo;
    const flag = join(folder, 'flag');
    const strict = client({ outbound: new Outbound() });
    try {
      for (const url of hostileUrls(port, flag, repositories))
        await assert.rejects(async () => lookAt(url, {}, strict), failed('refused'), url);
    } finally {
      trap.close();
    }
    assert.equal(connections, 0);
    assert.equal(existsSync(flag), false);
  });

  test('names and redirects that lead inside', async () => {
    let connections = 0;
    const trap = createServer(() => connections++);
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.2', resolve));
    const { port } = trap.address() as AddressInfo;
    const dns = await startNameServer({ 'evil.example.org': '@ A 127.0.0.2\nmixed A 10.0.0.1\nmixed AAAA ::1' });
    const guarded = client({ outbound: new Outbound({ allow: ['127.0.0.1/32'], dnsServers: [dns.address] }) });
    try {
      for (const host of ['evil.example.org', 'mixed.evil.example.org'])
        for (const url of [`https://${host}:${port}/x.git`, `ssh://git@${host}:${port}/x.git`, `git@${host}:x.git`])
          await assert.rejects(lookAt(url, {}, guarded), failed('refused'), url);
      for (const target of [`https://127.0.0.2:${port}`, `https://evil.example.org:${port}`, 'https://169.254.169.254'])
        await withHttps(
          (request, response) => void response.writeHead(302, { location: `${target}${request.url}` }).end(),
          (url) => assert.rejects(lookAt(`${url}/x.git`, {}, guarded), failed('refused'), target),
        );
      await assert.rejects(lookAt('https://nowhere.example.org/x.git', {}, guarded), failed('unreachable'));
      await assert.rejects(lookAt('git@nowhere.example.org:x.git', {}, guarded), failed('unreachable'));
    } finally {
      trap.close();
      await dns.close();
    }
    assert.equal(connections, 0);
  });

  test('links that lead out of the folders that are open', async () => {
    const outside = join(folder, 'outside.git');
    await makeRepository(outside, FILES);
    await symlink(outside, join(repositories, 'link.git'));
    for (const path of [outside, join(repositories, 'link.git'), join(repositories, '..', 'outside.git'), '/etc'])
      await assert.rejects(async () => lookAt(`file://${path}`), failed('refused'), path);
    await assert.rejects(
      lookAt(`file://${join(repositories, 'site.git')}`, {}, client({ fileRoots: [] })),
      failed('refused'),
    );
  });
});

/** Written out, so that it can be read what is meant. */
function hostileUrls(port: number, flag: string, open: string): string[] {
  const hosts = [
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '0',
    'localhost',
    'a.localhost',
    '10.0.0.1',
  ];
  const v6 = ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[fe80::1]', '[fd00::1]', '[::]'];
  const all = [...hosts, ...v6, '169.254.169.254', '192.168.0.1', '100.64.0.1'];
  return [
    ...all.flatMap((host) => [`https://${host}:${port}/x.git`, `ssh://git@${host}:${port}/x.git`, `git@${host}:x.git`]),
    `ext::sh -c touch% ${flag}`,
    `ext::sh%20-c%20touch%20${flag}`,
    'fd::17',
    'fd::17/foo',
    'https::https://github.com/a/b.git',
    `--upload-pack=touch ${flag}`,
    `--upload-pack=touch${flag}`,
    '-oProxyCommand=touch',
    `ssh://-oProxyCommand=touch${flag}/x`,
    `ssh://git@-oProxyCommand=touch/x`,
    `-oProxyCommand=touch@host:x`,
    `git@-oProxyCommand=touch:x`,
    `ssh://git@example.com/-x`.replace('/-x', '/$(touch x)'),
    'git@example.com:-x',
    "git@example.com:a';touch x;'",
    'git@example.com:`touch x`',
    'ssh://git@example.com:99999/x.git',
    'ssh://git:secret@example.com/x.git',
    'https://user:secret@example.com/x.git',
    'https://token@example.com/x.git',
    'https://@example.com/x.git',
    'https://example.com/x.git?a=1',
    'https://example.com/x.git#a',
    'https://example.com/',
    'https://example.com\\@127.0.0.1/x.git',
    'https://example.com/x.git\n--upload-pack=touch',
    'https://example.com/\0',
    'https://exam ple.com/x.git',
    'http://example.com/x.git',
    'git://example.com/x.git',
    'ftp://example.com/x.git',
    'file://example.com/x.git',
    `file://${open}/../outside.git`,
    'file:///etc/passwd',
    'file:/etc',
    '/etc',
    './x',
    '../x',
    'x',
    '',
    'HTTPS://127.0.0.1/x.git',
    'ssh+git://example.com/x.git',
    'git+ssh://example.com/x.git',
    'javascript:alert(1)',
    `https://${'a'.repeat(3000)}.example.com/x.git`,
  ];
}
