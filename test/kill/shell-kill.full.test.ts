import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { Sandbox } from '#sandbox/sandbox.ts';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { newSite } from '#testkit/app/sites.ts';
import { createTestDatabase, type TestApp } from '#testkit/app/test-app.ts';
import { openTerminal, type TerminalClient } from '#testkit/clients/terminal-client.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { commandOf, descendants } from '../../bench/proc.ts';
import { standInCacheWithWordPress } from '../code-server/stand-in.ts';

/**
 * Kills the service while people sit at terminals and in editors of two sites: nothing of that runs on, and the next start finds everything
 * as after an orderly end.
 */
const KILLS = Number(process.env.KILLS ?? 1);
const TERMINALS = 10;
/** Tells our sleepers from those of others. */
const MARK = 200_000 + process.pid;
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

const dataDir = mkdtempSync(join(tmpdir(), 'shell-kill-'));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let cache: string;
let port: number;
let service: ServiceProcess | undefined;
let app: TestApp;

before(async () => {
  [database, cache, port] = await Promise.all([createTestDatabase(), standInCacheWithWordPress(), freePort()]);
});
after(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  await database?.drop();
  for (const folder of [dataDir, cache]) rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = spawnService({
    RUNTIME: 'php-wasm',
    PHP_COMPILER: 'baseline',
    PORT: String(port),
    DATA_DIR: dataDir,
    CACHE_DIR: cache,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests that is long enough',
    ADMIN_PASSWORD: 'operator-password',
    RATE_LIMIT_FACTOR: '0',
    LOG_LEVEL: 'warn',
  });
  app = { url: await service.ready } as TestApp;
}

/** A shell waits until the address is confirmed. */
async function confirmAndAllowTwoSites(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('update users set is_verified = true');
  await client.query('update teams set additional_sites = 1');
  await client.end();
}

async function openEditor(owner: Person, { fqdn }: Site): Promise<void> {
  const { url } = await owner.api.createCodeServerLogin({ params: { fqdn } });
  const { pathname, search, hostname } = new URL(url);
  const welcome = await visit(app, hostname, `${pathname}${search}`, { headers: PAGE });
  const cookie = String(welcome.headers['set-cookie']).split(';')[0] as string;
  assert.equal((await visit(app, hostname, '/', { headers: { ...PAGE, cookie } })).status, 200);
}

/** With something in it that has left its terminal. */
async function openBusyTerminal(owner: Person, { fqdn }: Site): Promise<TerminalClient> {
  const terminal = await openTerminal(app, owner, fqdn);
  await terminal.expect('left-2', `(setsid sleep ${MARK} &); echo left-$((1+1)); sleep ${MARK}\r`);
  return terminal;
}

/** A number may be given anew at once, so a process is known by when it started, too. */
function identityOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${pid} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** What a service of this number has made and what bears it in its name: folders, sockets, control groups. */
function tracesOf(pid: number): string[] {
  const own = (name: string) => name === String(pid) || name.startsWith(`${pid}-`);
  const files = (readdirSync(dataDir, { recursive: true }) as string[]).filter((path) => path.split('/').some(own));
  return [...files, ...groupsBelow('/sys/fs/cgroup', `siteyard-${pid}`, 4)];
}

function groupsBelow(folder: string, name: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    const found = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return found.flatMap((entry) =>
      entry.name === name ? [join(folder, name)] : groupsBelow(join(folder, entry.name), name, depth - 1),
    );
  } catch {
    return [];
  }
}

const isMounted = () => readFileSync('/proc/self/mountinfo', 'utf8').includes(dataDir);

test('a kill takes terminals and editors along, and the next start clears what they left', async (t) => {
  const sandbox = await Sandbox.find();
  if (!(sandbox instanceof Sandbox)) return t.skip(sandbox.missing);
  await start();
  const owner = await registerPerson(app, 'Owner', { verified: false });
  await confirmAndAllowTwoSites();
  const sites = [await newSite(owner), await newSite(owner)];
  for (const { fqdn } of sites)
    await owner.api.updateSite({ params: { fqdn }, body: { code_server_enabled: true }, wait: 20 });
  for (let count = 0; count < KILLS; count++) {
    await Promise.all(sites.map((site) => openEditor(owner, site)));
    await Promise.all(
      Array.from({ length: TERMINALS }, (_, at) => openBusyTerminal(owner, sites[at % sites.length] as Site)),
    );
    const { pid, kill, exited } = service as ServiceProcess;
    // One that is about to start a program is still called what it was made from.
    const running = (what: RegExp) => descendants(pid).filter((below) => what.test(commandOf(below))).length;
    await eventually(async () => running(new RegExp(`^sleep ${MARK}$`)) === 2 * TERMINALS, 60_000);
    assert.ok(running(/^\/bin\/bash -i$/) >= TERMINALS);
    assert.ok(running(/^\/opt\/node\/node .*launch\.cjs/) >= sites.length);
    const below = descendants(pid).slice(1);
    const known = below.map(identityOf).filter((identity) => identity !== undefined);
    assert.notDeepEqual(tracesOf(pid), []);

    kill('SIGKILL');
    await exited;
    const left = () => known.filter((identity) => identityOf(Number.parseInt(identity, 10)) === identity);
    await eventually(async () => left().length === 0, 60_000).catch(() =>
      assert.deepEqual(
        left().map((identity) => commandOf(Number.parseInt(identity, 10))),
        [],
      ),
    );
    assert.equal(isMounted(), false);

    await start();
    const [site] = sites as [Site];
    await Promise.all([
      openEditor(owner, site),
      visit(app, site.fqdn, '/wp-login.php').then(({ status }) => assert.equal(status, 200)),
    ]);
    await eventually(async () => tracesOf(pid).length === 0, 60_000).catch(() => assert.deepEqual(tracesOf(pid), []));
    const again = await openTerminal(app, owner, site.fqdn);
    await again.expect('still-here', 'echo still-"here"\r');
    again.socket.close();
  }
});
