import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { openConnections } from '#core/http/connections.ts';
import { platformHosts } from '#core/http/platform-hosts.ts';
import type { AnswerAtOnce } from '#core/http/simple/simple-reader.ts';
import { openTlsFront } from '#core/http/tls/tls-front.ts';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { Edge } from '#edge/edge.ts';
import type { Route } from '#edge/route.ts';
import { localFiles } from '#host/local-files.ts';
import { LogFiles } from '#host/site-log/log-files.ts';
import { SiteLog } from '#host/site-log/site-log.ts';

/** The edge as the service runs it, in front of one site on a unix socket: everything but the control plane. */
const [socketPath = '', contentFolder = '', coreFolder = '', key = '', certificate = ''] = process.argv.slice(2);

const site = {
  host: 'local',
  driver: 'none',
  id: 'site',
  team: 'team',
  url: '',
  coreVersion: '',
  phpVersion: '',
  accessKey: '',
  saltKey: '',
  isCopy: false,
  isOffline: false,
  isDebugging: false,
};
const route: Route = {
  fqdn: 'blog.example.org',
  teamId: 'team',
  site,
  state: 'ready',
  signIn: null,
  allowedAddresses: null,
  externalPaths: [],
  devMode: false,
  alias: null,
  uploadsRefused: null,
  preview: null,
};
const logs = mkdtempSync(join(tmpdir(), 'siteyard-edge-bench-logs-'));
const files = new LogFiles(logs, createLog('warn'));
const siteLog = new SiteLog({ appendLog: ({ id }, kind, lines) => files.append(id, kind, lines) }, createLog('warn'));
siteLog.start();
const lease = {
  door: socketPath,
  connect: () => connect(socketPath),
  release: () => undefined,
  failure: async () => undefined,
};
const running = { isAwake: true, lease: async () => lease };
const edge = new Edge({
  routes: { loadAll: async () => [route], load: async () => [route], subscribe: async () => undefined },
  host: {
    ...localFiles(({ root }) => ('siteId' in root ? contentFolder : coreFolder)),
    start: async () => running,
  },
  reports: {
    woke: async () => undefined,
    usage: async () => undefined,
    visited: (site, visit) => siteLog.visit(site, visit),
    logError: (site, entry) => siteLog.error(site, entry),
    purged: () => undefined,
  },
  outbound: new Outbound(),
  trustProxy: [],
  baseUrl: 'http://platform.example.org',
  log: createLog('warn'),
});
await edge.start();

const isPlatform = platformHosts('http://platform.example.org');
const handle: RequestListener = (request, response) => {
  if (isPlatform(request.headers.host)) response.writeHead(404).end();
  else edge.handle(request, response);
};
const atOnce: AnswerAtOnce = (visit) => (isPlatform(visit.headers.host) ? undefined : edge.atOnce(visit));
const { server } = openConnections(handle, {
  upgrades: {
    takes: ({ headers }) => !isPlatform(headers.host) && /^websocket$/i.test(headers.upgrade ?? ''),
    take: (request, socket, head) => edge.upgrade(request, socket, head),
  },
  atOnce,
});
const context = createSecureContext({ key: readFileSync(key), cert: readFileSync(certificate) });
const certificates = { contextFor: async () => context, challengeFor: async () => undefined, awaitsAuthority: false };
const front = openTlsFront({ certificates, ticketKeys: randomBytes(48) }, server, { handle, atOnce });
const ports = [server, front.server].map(
  (each) =>
    new Promise<number>((resolve) => {
      each.listen(0, '127.0.0.1', () => resolve((each.address() as AddressInfo).port));
    }),
);
console.log(`ready: ${(await Promise.all(ports)).join(' ')}`);
process.once('SIGTERM', () => {
  rmSync(logs, { recursive: true, force: true });
  process.exit(0);
});
