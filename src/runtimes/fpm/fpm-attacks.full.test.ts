import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRunning } from '#runtimes/folders/run-folder.ts';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { createSite, putFile, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { findPhp } from './php-install.ts';

/** The calls that native code of a site would like to make: those of the C library, by PHP's own way to it. */
const NATIVE = `$c = FFI::cdef('int ptrace(int, int, void*, void*); int unshare(int); int mount(char*, char*, char*, unsigned long, void*);
  int setuid(int); int setgroups(int, void*); int chroot(char*); long syscall(long, ...); int socket(int, int, int); int kill(int, int);
  int sethostname(char*, int); int chmod(char*, int); int link(char*, char*); int symlink(char*, char*); int execl(char*, char*, ...);
  int mknod(char*, int, long); int open(char*, int, ...); int creat(char*, int); int prctl(int, long, long, long, long);');
$content = '/site/wordpress/wp-content';
file_put_contents("$content/own", 'x');
$how = $c->new('unsigned long long[3]'); $how[0] = 0102; $how[1] = 04755;
$tried = [
  'ptrace' => $c->ptrace(0, 0, null, null), 'user namespace' => $c->unshare(0x10000000), 'mount namespace' => $c->unshare(0x20000),
  'mount' => $c->mount('none', '/tmp', 'tmpfs', 0, null), 'setuid' => $c->setuid(0), 'groups' => $c->setgroups(0, null), 'chroot' => $c->chroot('/tmp'),
  'raw socket' => $c->socket(2, 3, 1), 'packet socket' => $c->socket(17, 3, 0), 'netlink' => $c->socket(16, 3, 0), 'vsock' => $c->socket(40, 1, 0),
  'host name' => $c->sethostname('x', 1), 'set-uid' => $c->chmod("$content/own", 04755), 'link' => $c->link("$content/own", "$content/other"),
  'symlink' => $c->symlink('/etc', "$content/soft"), 'device' => $c->mknod("$content/device", 0x6000 | 0600, 0x800),
  'set-uid by open' => $c->open("$content/set", 0102, 04755), 'set-gid by creat' => $c->creat("$content/set", 02755),
  'set-uid by mknod' => $c->mknod("$content/set", 0x8000 | 04755, 0), 'unnamed set-uid' => $c->open($content, 020000002 | PHP_O_DIRECTORY, 04755),
  'openat2' => $c->syscall(437, -100, "$content/set", FFI::addr($how), 24),
  'keys' => $c->syscall(PHP_OS_ARCH === 'x86_64' ? 250 : 219, 0, -3, 1), 'bpf' => $c->syscall(PHP_OS_ARCH === 'x86_64' ? 321 : 280, 0, null, 0),
  'io_uring' => $c->syscall(425, 1, null), 'program' => $c->execl('/bin/sh', 'sh', '-c', 'echo out', null),
];
$files = ['/proc/1/environ', '/proc/self/mem', '/proc/self/maps', '/sys/kernel/notes', '/etc/shadow', '/dev/mem', '/dev/kmsg', SECRET];
echo json_encode([
  'calls' => array_keys(array_filter($tried, fn($code) => $code !== -1)),
  'files' => array_values(array_filter($files, fn($file) => @file_get_contents($file, false, null, 0, 10) !== false)),
  'writes' => array_values(array_filter(['/site/wordpress/index.php', '/site/platform/siteyard.php', '/site/wp-config.php', '/opt/php.ini', '/opt/filter', '/usr/x', '/etc/x', '/run/siteyard/x', '/run/php/x', '/x'],
    fn($file) => @file_put_contents($file, 'x') !== false)),
  'abstract' => @stream_socket_client("unix://\\0siteyard-attack", $no, $text, 1) !== false,
  'signals' => count(array_filter(range(2, 400), fn($pid) => $pid !== getmypid() && $c->kill($pid, 0) === 0)) > 6,
]);`;

const why = await noFpm();
const [php] = why ? [] : await findPhp();
describe('what native PHP of a site tries', { skip: why }, () => {
  let driver: Awaited<ReturnType<typeof openFpmRuntime>>;
  let site: SiteSpec;
  let other: SiteSpec;
  before(async () => {
    driver = await openFpmRuntime({ requestTimeoutMs: 20_000 });
    site = await createSite(driver.runtime, 'attacker.localhost');
    other = await createSite(driver.runtime, 'neighbour.localhost');
  });
  after(() => driver?.close());

  const run = (args: string[], timeoutMs = 60_000) =>
    driver.runtime.exec(site, { args: ['php', ...args], timeoutMs, maxOutputBytes: 100_000 });
  const put = async (name: string, code: string) =>
    `/site/wordpress${await putProbe(driver.runtime, site, name, code)}`;

  it('gets nowhere with native code: no rights, no other world, no files and no sockets but its own', async (t) => {
    if (!php || !existsSync(join(php.extensions, 'ffi.so'))) return t.skip('this PHP has no way to native code');
    const secret = join(driver.runtime.contentFolder(other.id), 'secret.txt');
    writeFileSync(secret, 'of another tenant');
    const abstract = createServer((socket) => socket.end('host'));
    await new Promise<void>((ready) => abstract.listen('\0siteyard-attack', ready));
    const machine = process.arch === 'x64' ? 'x86_64' : 'aarch64';
    const code = NATIVE.replaceAll('PHP_OS_ARCH', `'${machine}'`)
      .replace('SECRET', `'${secret}'`)
      .replace('PHP_O_DIRECTORY', process.arch === 'x64' ? '0200000' : '040000');
    const ran = await run(['-d', 'extension=ffi', '-d', 'ffi.enable=1', await put('native.php', code)]);
    abstract.close();
    assert.deepEqual(
      JSON.parse(ran.stdout),
      { calls: [], files: [], writes: [], abstract: false, signals: false },
      ran.stderr,
    );
    const content = driver.runtime.contentFolder(site.id);
    assert.deepEqual(
      readdirSync(content).filter((name) => ['other', 'soft', 'device', 'set'].includes(name)),
      [],
    );
  });

  it('can not speak for itself at its own socket with settings of its own and so come to anything else', async () => {
    const path = await putProbe(
      driver.runtime,
      site,
      'socket.php',
      `$socket = @stream_socket_client('unix:///run/php/fpm.sock', $no, $text, 1); $made = @file_put_contents('/run/php/x', 'x');
      @unlink('/run/php/fpm.sock'); echo json_encode([$made !== false, file_exists('/run/php/fpm.sock')]);`,
    );
    const [made] = JSON.parse((await request(driver.runtime, site, { path })).text) as boolean[];
    // As a plain user nobody can take a folder from a site that it made something in.
    if (process.getuid?.() === 0) assert.equal(made, false);
    assert.match((await request(driver.runtime, site, { path: '/wp-login.php' })).text, /user_login/);
  });

  it('is ended with all that it forked, and its neighbour goes on', async () => {
    const bomb = await put('bomb.php', 'while (true) { if (@pcntl_fork() === -1) usleep(1000); }');
    const running = run([bomb], 2_500);
    const asked = performance.now();
    const page = await request(driver.runtime, other, { path: '/wp-login.php', timeoutMs: 60_000 });
    assert.equal(page.status, 200);
    assert.ok(performance.now() - asked < 60_000);
    assert.equal((await running).exitCode, 124);
    const left = readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bomb.php');
      } catch {
        return false;
      }
    });
    assert.deepEqual(left, []);
  });

  it('uses no more of the disk than it may, asleep and in a file that has no name', async () => {
    await driver.runtime.stop(site.id);
    const code = `$file = fopen('/site/wordpress/wp-content/hidden', 'w+'); unlink('/site/wordpress/wp-content/hidden');
      for ($n = 0; $n < 100; $n++) fwrite($file, str_repeat('x', 1 << 20)); sleep(50); echo 'had it';`;
    const ran = await run([await put('hold.php', code)]);
    assert.deepEqual([ran.exitCode, ran.stdout], [137, '']);
    assert.match(ran.stderr, /no room left on its disk/);
  });

  it('uses no more memory than it may, however it asks for it', async () => {
    const code =
      "ini_set('memory_limit', -1); $all = []; for ($n = 0; $n < 8000; $n++) $all[] = str_repeat('x', 1 << 20); echo 'had it';";
    const ran = await run([await put('memory.php', code)]);
    const hasLimits = existsSync('/sys/fs/cgroup/memory') || existsSync('/sys/fs/cgroup/cgroup.controllers');
    if (hasLimits && process.getuid?.() === 0) assert.doesNotMatch(ran.stdout, /had it/);
    assert.ok(existsSync(driver.runtime.contentFolder(site.id)));
  });

  it('that ends its own PHP is answered by the next one', async () => {
    const path = await putProbe(driver.runtime, site, 'end.php', "posix_kill(posix_getppid(), 9); echo 'x';");
    await request(driver.runtime, site, { path }).catch(() => {});
    assert.equal((await request(driver.runtime, site, { path: '/wp-login.php' })).status, 200);
  });

  it('leaves no process behind when it sleeps', async () => {
    await request(driver.runtime, site, { path: '/wp-login.php' });
    const pids = driver.runtime.awake().map(({ pid }) => pid);
    assert.ok(pids.length > 0);
    await driver.runtime.stop(site.id);
    await driver.runtime.stop(other.id);
    await eventually(async () => pids.every((pid) => !isRunning(pid)));
    assert.deepEqual(driver.runtime.awake(), []);
  });

  it('goes to sleep where all sites together use more memory than they may, the longest unused first', async () => {
    const small = await openFpmRuntime({ memoryBudgetBytes: 1 });
    try {
      const sleepy = await createSite(small.runtime, 'sleepy.localhost');
      await putFile(small.runtime, sleepy, 'plugins/a.php', "<?php echo 'a';");
      assert.equal((await request(small.runtime, sleepy, { path: '/wp-content/plugins/a.php' })).text, 'a');
      await eventually(async () => small.runtime.awake().length === 0);
      assert.equal((await request(small.runtime, sleepy, { path: '/wp-content/plugins/a.php' })).text, 'a');
    } finally {
      await small.close();
    }
  });
});
