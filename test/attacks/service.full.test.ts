import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { createClient, type Site } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { spawnService } from '#testkit/app/service-process.ts';
import { newSite } from '#testkit/app/sites.ts';
import { findMail, type TestApp } from '#testkit/app/test-app.ts';
import { openTerminal } from '#testkit/clients/terminal-client.ts';
import { visit } from '#testkit/clients/visit.ts';
import { WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { standInCacheWithWordPress } from '../code-server/stand-in.ts';

/**
 * The whole service in every way that it can keep sites apart: what people use works, and what the people of one site try leads nowhere. Each way
 * takes as long as a start with a database and PHP of its own, so it is a long form alone: `ATTACKS=all`, or some of them by name.
 */
type Mode = 'uids' | 'root' | 'user' | 'none';
const isRoot = process.getuid?.() === 0;
const POSSIBLE: Mode[] = isRoot ? ['uids', 'root', 'user', 'none'] : ['user', 'none'];
const MODES = POSSIBLE.filter((mode) =>
  (process.env.ATTACKS ?? '').split(',').some((each) => each === mode || each === 'all'),
);
const NOBODY = 65534;
const AS_NOBODY = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
const SECRET = 'the-key-of-the-attacked-platform';
const ADMIN = { ADMIN_PASSWORD: 'operator-password' };
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

for (const mode of MODES)
  suite(`the service, ${mode}`, () => {
    test('runs sites, and keeps each to itself', async (t) => {
      const by = mode === 'user' && isRoot ? AS_NOBODY : [];
      const [file, ...args] = [...by, 'test', '-r', join(import.meta.dirname, '../../dist/main.js')] as const;
      if (spawnSync(file as string, args).status !== 0) return t.skip('a plain user may not read this checkout');
      const world = await open(mode, by);
      const { site, output } = world;
      if (mode !== 'none' && site.properties.shell !== 'bash') return t.skip(output());
      await checkUse(world);
      await checkAttacks(world);
    });
  });

/** The image of new sites is for whoever made it alone. */
function giveToNobody(dataDir: string, cache: string): void {
  const images = join(cache, 'images');
  rmSync(images);
  cpSync(join(WORDPRESS_CACHE, 'images'), images, { recursive: true });
  const copied = (readdirSync(images, { recursive: true }) as string[]).map((name) => join(images, name));
  for (const path of [dataDir, cache, join(cache, 'tools'), images, ...copied]) chownSync(path, NOBODY, NOBODY);
}

interface World {
  mode: Mode;
  app: TestApp;
  dataDir: string;
  api: Person['api'];
  other: Person['api'];
  site: Site;
  neighbour: Site;
  pid: number;
  output(): string;
}

/** As a person does: a shell waits until the address is confirmed. */
async function registerByMail(app: TestApp, dataDir: string, name: string): Promise<Person> {
  const person = await registerPerson(app, name, { verified: false });
  const mail = await findMail(join(dataDir, 'mail'), person.email, '/verify?token=');
  const token = /\/verify\?token=([\w-]+)/.exec(mail)?.[1] as string;
  await createClient({ baseUrl: app.url }).verifyEmail({ body: { token } });
  return { ...person, ...(await signInAs(app, person.email)) };
}

async function open(mode: Mode, by: readonly string[]): Promise<World> {
  // What is the test run's own is closed to others.
  const dataDir = mkdtempSync('/tmp/attacked-service-');
  // As the service makes it where there is none: sites' users pass through it.
  if (isRoot && by.length === 0) chmodSync(dataDir, 0o711);
  const cache = await standInCacheWithWordPress();
  if (by.length > 0) giveToNobody(dataDir, cache);
  const env = { PORT: String(await freePort()), DATA_DIR: dataDir, CACHE_DIR: cache, SANDBOX: mode, TMPDIR: dataDir };
  const more = { SECRET_KEY: SECRET, RATE_LIMIT_FACTOR: '0', LOG_LEVEL: 'warn', PHP_COMPILER: 'baseline' };
  const service = spawnService({ ...env, ...more, ...ADMIN }, [], undefined, by);
  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    for (const folder of [dataDir, cache]) rmSync(folder, { recursive: true, force: true });
  });
  const app = { url: await service.ready } as TestApp;
  const attacker = await registerByMail(app, dataDir, 'Attacker');
  const other = await registerByMail(app, dataDir, 'Neighbour');
  const [site, neighbour] = [await newSite(attacker), await newSite(other)];
  await other.api.saveSiteFile({ params: neighbour, body: { path: 'secret.txt', content: SECRET } });
  return {
    mode,
    app,
    dataDir,
    api: attacker.api,
    other: other.api,
    site,
    neighbour,
    pid: service.pid,
    output: service.output,
  };
}

/** A page, a command, wp, a terminal and an editor. */
async function checkUse({ mode, app, api, site }: World): Promise<void> {
  const params = { fqdn: site.fqdn };
  assert.equal((await visit(app, site.fqdn, '/wp-login.php')).status, 200);
  const { stdout } = await api.runSiteCommand({
    params,
    body: { cmd: 'echo a > a.txt; cat a.txt; wp option get home' },
  });
  assert.equal(stdout, `a\n${site.properties.url}\n`);
  const terminal = await openTerminal(app, { api }, site.fqdn);
  await terminal.expect('typed-here', 'echo typed-"here"\r');
  terminal.socket.close();
  await api.updateSite({ params, body: { code_server_enabled: true }, wait: 20 });
  const { url } = await api.createCodeServerLogin({ params });
  const { pathname, search, hostname } = new URL(url);
  const come = await visit(app, hostname, `${pathname}${search}`, { headers: PAGE });
  const cookie = String(come.headers['set-cookie']).split(';')[0] as string;
  const to = '/site/wordpress/wp-content/b.txt';
  const { status, text } = await visit(app, hostname, `/write?to=${to}&text=b`, { headers: { ...PAGE, cookie } });
  if (mode === 'none') {
    assert.equal(status, 503);
    assert.match(text, /This machine has no sandbox/);
  } else {
    assert.equal(status, 200);
    assert.equal((await visit(app, site.fqdn, '/wp-content/b.txt')).text, 'b');
  }
}

/** Each says what it got, which is nothing. */
async function checkAttacks({ mode, api, other, site, neighbour, dataDir, pid }: World): Promise<void> {
  const run = async (cmd: string) => {
    const { exit_code, stdout, stderr } = await api.runSiteCommand({ params: site, body: { cmd } });
    assert.equal(exit_code, 0, stderr);
    return stdout;
  };
  const mark = 400_000 + process.pid;
  const secret = join(dataDir, 'sites', neighbour.id, 'content/secret.txt');
  // In two parts, since the question itself is in the arguments of who asks.
  const inParts = `${SECRET.slice(0, 9)}''${SECRET.slice(9)}`;
  const attacks: Record<string, string> = {
    neighbour: `cat ${secret} 2>/dev/null; ls ${dataDir} ${process.cwd()} 2>/dev/null; find / -name secret.txt 2>/dev/null`,
    links: `ln -s ${join(secret, '..')} l 2>/dev/null && cat l/secret.txt 2>/dev/null; rm -f l`,
    php: `wp eval 'foreach (["${secret}", "/proc/1/environ", "/proc/${pid}/environ", "/etc/shadow", "${dataDir}/secret.key"] as $f) echo @file_get_contents($f);' 2>/dev/null`,
    'links for php': `ln -s ${secret} f.txt 2>/dev/null; ln -s / root 2>/dev/null; wp eval 'echo @file_get_contents("/site/wordpress/wp-content/f.txt"), implode(@scandir("/site/wordpress/wp-content/root${dataDir}") ?: []);' 2>/dev/null; rm -f f.txt root`,
    ...(mode !== 'none' && {
      environment: `[[ $(cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' ' ') == *${inParts}* ]] && echo seen`,
      writes:
        'for f in /usr/x /site/wordpress/x /opt/siteyard/bin/x /run/siteyard/x /etc/x /x /opt/node/x; do (echo 1 > $f) 2>/dev/null && echo $f; done',
      mounts:
        '(mount -t tmpfs x /tmp && echo a; mount --bind / /tmp && echo b; umount -l /site/wordpress && echo c; chroot / true && echo d) 2>/dev/null',
      namespaces:
        '(unshare -Ur true && echo user; unshare -m true && echo mount; unshare -n true && echo net) 2>/dev/null',
      network: `(exec 3<>/dev/tcp/127.0.0.1/${new URL(site.properties.url as string).port || 80} && echo in) 2>/dev/null; (exec 3<>/dev/tcp/1.1.1.1/80 && echo out) 2>/dev/null`,
      signals: `kill -9 ${pid} 2>/dev/null && echo killed`,
      daemons: `(setsid sleep ${mark} >/dev/null 2>&1 &); (nohup sleep ${mark} >/dev/null 2>&1 &)`,
    }),
  };
  const got: Record<string, string> = {};
  for (const [name, script] of Object.entries(attacks)) got[name] = await run(`${script}; true`);
  assert.deepEqual(got, Object.fromEntries(Object.keys(attacks).map((name) => [name, ''])));
  await eventually(async () => !isRunning(`sleep\0${mark}\0`));
  assert.equal((await other.getSiteFile({ params: neighbour, query: { path: 'secret.txt' } })).content, SECRET);
}

function isRunning(command: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command;
    } catch {
      return false;
    }
  });
}
