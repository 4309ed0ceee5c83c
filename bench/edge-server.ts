import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnections } from '#core/http/connections.ts';
import { platformHosts } from '#core/http/platform-hosts.ts';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { SiteLog } from '#core/site-log/site-log.ts';
import { Edge } from '#edge/edge.ts';
import type { Route } from '#edge/route.ts';

/** The edge as the service runs it, in front of one site on a unix socket: everything but the control plane. */
const [socketPath = '', contentFolder = '', coreFolder = ''] = process.argv.slice(2);

const site = {
  id: 'site',
  owner: 'team',
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
  contentFolder,
  coreFolder,
  uploadsRefused: null,
  preview: null,
};
const logs = mkdtempSync(join(tmpdir(), 'siteyard-edge-bench-logs-'));
const siteLog = new SiteLog(logs, createLog('warn'));
siteLog.start();
const lease = { socketPath, release: () => undefined, failure: async () => undefined };
const running = { isAwake: true, lease: async () => lease };
const edge = new Edge({
  routes: { loadAll: async () => [route], load: async () => [route], subscribe: async () => undefined },
  runtime: { start: async () => running },
  reports: {
    woke: async () => undefined,
    usage: async () => undefined,
    visited: (siteId, visit) => siteLog.visit(siteId, visit),
    purged: () => undefined,
  },
  outbound: new Outbound(),
  trustProxy: [],
  baseUrl: 'http://platform.example.org',
  log: createLog('warn'),
});
await edge.start();

const isPlatform = platformHosts('http://platform.example.org');
const { server } = openConnections(
  (request, response) => {
    if (isPlatform(request.headers.host)) response.writeHead(404).end();
    else edge.handle(request, response);
  },
  {
    takes: ({ headers }) => !isPlatform(headers.host) && /^websocket$/i.test(headers.upgrade ?? ''),
    take: (request, socket, head) => edge.upgrade(request, socket, head),
  },
);
server.listen(0, '127.0.0.1', () => console.log(`ready: ${(server.address() as AddressInfo).port}`));
process.once('SIGTERM', () => {
  rmSync(logs, { recursive: true, force: true });
  process.exit(0);
});
