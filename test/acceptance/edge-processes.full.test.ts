import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { findRunningPostgres } from '#core/db/embedded-postgres.ts';
import { createClient, type Site } from '#sdk';
import { PASSWORD, type Person, signInAs } from '#testkit/app/people.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { newSite } from '#testkit/app/sites.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { type AcmeServer, startAcmeServer } from '#testkit/servers/acme-server.ts';
import { commandOf, descendants } from '../../bench/proc.ts';

/** The service as an operator runs it on a machine with many cores: with its own Postgres and key, and three processes on one port. */
const PROCESSES = 3;
const KEY = 'the token of these tests';

const dataDir = mkdtempSync(join(tmpdir(), 'siteyard-edge-processes-'));
let service: ServiceProcess;
let url: string;
let port: number;
let database: pg.Client;
let ada: Person;
let site: Site;

before(async () => {
  port = await freePort();
  service = start({ DATA_DIR: dataDir, PORT: String(port) });
  url = await service.ready;
  database = new pg.Client({ connectionString: findRunningPostgres(join(dataDir, 'postgres')) });
  await database.connect();
  ada = await newPerson('ada@example.com');
  site = await newSite(ada);
  await eventually(async () => further(service).length === PROCESSES - 1);
});
after(async () => {
  await database?.end();
  service?.kill('SIGTERM');
  await service?.exited;
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (env: Record<string, string>) =>
  spawnService({
    RUNTIME: 'memory',
    EDGE_PROCESSES: String(PROCESSES),
    ADMIN_PASSWORD: 'operator-password',
    METRICS_TOKEN: KEY,
    LOG_LEVEL: 'warn',
    ...env,
  });

/** As registerPerson, for a service in a process of its own. */
async function newPerson(email: string): Promise<Person> {
  const { id: userId } = await createClient({ baseUrl: url }).register({
    body: { email, password: PASSWORD, first_name: 'Ada', last_name: 'Tester' },
  });
  await database.query('update users set is_verified = true where id = $1', [userId]);
  const person = await signInAs({ url }, email);
  const [team] = (await person.api.listTeams()).results;
  return { ...person, userId, teamId: team?.id as string };
}

const further = ({ pid }: ServiceProcess) =>
  descendants(pid).filter((each) => commandOf(each).includes('--shares-ports'));
const group = (of: ServiceProcess) => [of.pid, ...further(of)];

/** A connection to the port, and the process that has it. */
interface Held {
  socket: Socket;
  pid: number;
}

/** Opens connections until each process has one. */
async function toEach(of: ServiceProcess, at = port): Promise<Held[]> {
  const pids = group(of);
  const held = new Map<number, Held>();
  for (let tries = 0; held.size < pids.length; tries++) {
    assert.ok(tries < 2000, `after ${tries} connections only ${held.size} of ${pids.length} processes had one`);
    const one = await hold(of, at);
    if (held.has(one.pid)) one.socket.destroy();
    else held.set(one.pid, one);
  }
  return [...held.values()];
}

async function hold(of: ServiceProcess, at = port): Promise<Held> {
  const socket = connect({ host: '127.0.0.1', port: at });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const from = socket.localPort as number;
  const pid = await eventually(async () => ownerOf(of, at, from));
  return { socket, pid };
}

/** Which process has the end of the connection that is the server's: nothing but the kernel is asked. */
function ownerOf(of: ServiceProcess, at: number, from: number): number | undefined {
  const hex = (each: number) => each.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync(`/proc/${of.pid}/net/tcp`, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const found = lines.find(([, local, remote]) => local?.endsWith(`:${hex(at)}`) && remote?.endsWith(`:${hex(from)}`));
  const inode = found?.[9];
  return inode === undefined || inode === '0' ? undefined : group(of).find((pid) => hasSocket(pid, inode));
}

function hasSocket(pid: number, inode: string): boolean {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`);
    return fds.some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Over this very connection, which stays open. */
function ask(
  socket: Socket,
  host: string,
  path: string,
  more: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = 'GET', headers = {}, body } = more;
  return new Promise<Answer>((resolve, reject) => {
    const all = { host: `${host}:${port}`, connection: 'keep-alive', ...headers };
    const asking = request({ createConnection: () => socket, method, path, headers: all }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    asking.once('error', reject);
    asking.end(body);
  });
}

test('whichever process is asked, the figures are those of all, and a visitor who meets all of them is one visit', async () => {
  const held = await toEach(service);
  const figure = (page: string, name: string) =>
    Number(new RegExp(`^siteyard_${name}\\S* (\\S+)$`, 'm').exec(page)?.[1]);
  const pages = () =>
    Promise.all(
      held.map(({ socket }) => ask(socket, 'localhost', '/metrics', { headers: { authorization: `Bearer ${KEY}` } })),
    );
  const read = async (name: string) => (await pages()).map(({ text }) => figure(text, name));
  // Nobody has come yet.
  for (const { socket } of held)
    for (let each = 0; each < 5; each++)
      assert.equal(
        (await ask(socket, site.fqdn, '/', { headers: { 'user-agent': 'a visitor of this test' } })).status,
        200,
      );
  // Handed on every few seconds by each.
  const wanted = 5 * held.length;
  await eventually(async () => (await read('edge_requests_total')).every((seen) => seen === wanted), 30_000);
  assert.deepEqual(
    await read('edge_visits_total'),
    held.map(() => 1),
  );
  const [page] = await pages();
  assert.equal(page?.text.match(/^siteyard_sites_awake /gm)?.length, 1);
  assert.ok(figure(page?.text ?? '', 'process_start_time_seconds') > 1e9);
  for (const { socket } of held) socket.destroy();
});

test('visitors are spread over processes that all answer for sites, the API and the dashboard', async () => {
  for (const { socket } of await toEach(service)) {
    assert.equal((await ask(socket, site.fqdn, '/')).status, 200);
    const headers = { authorization: `Bearer ${ada.token}` };
    assert.equal((await ask(socket, 'localhost', `/f/api/v1/site/${site.fqdn}`, { headers })).status, 200);
    assert.equal((await ask(socket, 'localhost', '/readyz')).status, 200);
    socket.destroy();
  }
});

test('a cache that is cleared, and a firewall that closes, are so for whoever comes to any process', async () => {
  const held = await toEach(service);
  const states = () =>
    Promise.all(held.map(async ({ socket }) => (await ask(socket, site.fqdn, '/')).headers['x-cache']));
  const params = { fqdn: site.fqdn };
  await eventually(async () => (await states()).every((state) => state === 'HIT'));
  await ada.api.clearSiteCache({ params });
  // Each has its own; it is told within moments.
  const missed = new Set<number>();
  await eventually(async () => {
    for (const [index, state] of (await states()).entries()) if (state === 'MISS') missed.add(index);
    return missed.size === held.length;
  }, 20_000);
  const statuses = () => Promise.all(held.map(async ({ socket }) => (await ask(socket, site.fqdn, '/')).status));
  await ada.api.updateSite({
    params,
    wait: 20,
    body: { cdn_firewall_enabled: true, cdn_firewall_allowed_ips: ['192.0.2.1'] },
  });
  await eventually(async () => (await statuses()).every((status) => status === 403), 20_000);
  await ada.api.updateSite({ params, wait: 20, body: { cdn_firewall_enabled: false } });
  await eventually(async () => (await statuses()).every((status) => status === 200), 20_000);
  for (const { socket } of held) socket.destroy();
});

test('wrong passwords are counted over all processes', async () => {
  const held = await toEach(service);
  const body = JSON.stringify({ username: ada.email, password: 'a wrong password' });
  const tries: number[] = [];
  for (let each = 0; each < 12; each++) {
    const { socket } = held[each % held.length] as Held;
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    tries.push((await ask(socket, 'localhost', '/f/api/v1/token', { method: 'POST', headers, body })).status);
    // What one counts is told to the others, which takes a moment.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const { socket } of held) socket.destroy();
  assert.equal(tries.filter((status) => status === 429).length, 2, String(tries));
});

test('one that is killed costs nothing but its own connections, and comes back', async () => {
  const held = await toEach(service);
  const [first, victim, other] = [service.pid, ...further(service)];
  const of = (pid: number | undefined) => held.find((one) => one.pid === pid)?.socket as Socket;
  const closed = new Promise((resolve) => of(victim).once('close', resolve));
  // One that hangs is handed nobody, since it is not there to take them.
  process.kill(victim as number, 'SIGSTOP');
  for (let each = 0; each < 30; each++) assert.equal((await fetch(`${url}/healthz`)).status, 200);
  process.kill(victim as number, 'SIGKILL');
  await closed;
  for (const pid of [first, other]) assert.equal((await ask(of(pid), site.fqdn, '/')).status, 200);
  // Nobody who comes now is turned away.
  for (let each = 0; each < 30; each++) assert.equal((await fetch(`${url}/healthz`)).status, 200);
  await eventually(
    async () => further(service).length === PROCESSES - 1 && !further(service).includes(victim as number),
  );
  for (const { socket } of held) socket.destroy();
  for (const { socket } of await toEach(service)) {
    assert.equal((await ask(socket, site.fqdn, '/')).status, 200);
    socket.destroy();
  }
});

test('a stop lets each process answer what it has begun, and leaves none of them', async () => {
  const [httpPort, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'siteyard-edge-processes-'))];
  const own = start({ DATA_DIR: folder, PORT: String(httpPort) });
  try {
    await own.ready;
    await eventually(async () => further(own).length === PROCESSES - 1);
    const held = await toEach(own, httpPort);
    const pids = group(own);
    // A body that is half there when the stop comes.
    const answers = held.map(({ socket }) => {
      const heard = new Promise<string>((resolve) => {
        const parts: Buffer[] = [];
        socket.on('data', (part) => parts.push(part)).once('close', () => resolve(Buffer.concat(parts).toString()));
      });
      socket.write(
        'POST /f/api/v1/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{"',
      );
      return heard;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    own.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const { socket } of held) socket.write('a}');
    for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    assert.equal(await own.exited, 0);
    assert.deepEqual(pids.filter(isAlive), []);
  } finally {
    own.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('none outlives a first process that is killed', async () => {
  const pids = further(service);
  assert.equal(pids.length, PROCESSES - 1);
  service.kill('SIGKILL');
  await service.exited;
  await eventually(async () => !pids.some(isAlive), 20_000);
  // The port is free at once, and whoever starts again has all of it.
  service = start({ DATA_DIR: dataDir, PORT: String(port) });
  await service.ready;
  await eventually(async () => further(service).length === PROCESSES - 1);
  assert.equal((await signInAs({ url }, 'admin@localhost', 'operator-password')).email, 'admin@localhost');
});

function isAlive(pid: number): boolean {
  return commandOf(pid) !== '';
}

test('all of them speak TLS with the same certificates, and go on with the sessions of one another', async () => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-edge-processes-'));
  const authority = await startAcmeServer({ httpPort, tlsPort: httpsPort });
  const own = start({
    DATA_DIR: folder,
    PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    ACME_DIRECTORY: authority.directory,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    BASE_URL: `https://panel.example.org:${httpsPort}`,
    SITE_DOMAIN: 'sites.example.net',
  });
  try {
    await own.ready;
    await eventually(async () => further(own).length === PROCESSES - 1);
    await eventually(async () => authority.counts.issued > 0);
    let session: Buffer | undefined;
    const pids = group(own);
    const met = new Map(pids.map((pid) => [pid, 0]));
    for (let tries = 0; Math.min(...met.values()) < 2; tries++) {
      assert.ok(tries < 2000, `${tries} connections fell to the processes as ${[...met.values()]}`);
      const { socket, pid } = await hold(own, httpsPort);
      // Until this process has heard of the certificate it has none to show.
      const answer = await askSecurely(socket, authority, session).catch(() => undefined);
      if (!answer) continue;
      const { status, isResumed, next } = answer;
      assert.equal(status, 'HTTP/1.1 200 OK');
      assert.equal(isResumed, session !== undefined, `process ${pid} of ${pids}`);
      met.set(pid, (met.get(pid) ?? 0) + 1);
      // Whoever goes on with one is given no other.
      session ??= await next;
    }
  } finally {
    own.kill('SIGTERM');
    await own.exited;
    await authority.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function askSecurely(socket: Socket, { root }: AcmeServer, session: Buffer | undefined) {
  const secure = connectTls({
    socket,
    servername: 'panel.example.org',
    ca: root,
    ALPNProtocols: ['http/1.1'],
    ...(session && { session }),
  });
  const next = new Promise<Buffer>((resolve) => secure.once('session', resolve));
  await new Promise((resolve, reject) => secure.once('secureConnect', resolve).once('error', reject));
  const heard = new Promise<string>((resolve, reject) => {
    secure.setEncoding('latin1').once('data', resolve);
    secure.once('close', () => reject(new Error('the connection was closed')));
  });
  secure.write('GET /healthz HTTP/1.1\r\nHost: panel.example.org\r\n\r\n');
  const status = (await heard).split('\r\n')[0];
  const result = { status, isResumed: secure.isSessionReused(), next };
  if (!session) await next;
  secure.destroy();
  return result;
}
