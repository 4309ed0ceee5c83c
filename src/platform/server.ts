import type { AddressInfo, Server } from 'node:net';
import { sql } from 'kysely';
import { diskFull } from '#core/http/failures.ts';
import { createApp, NO_SITES } from '#core/http/server.ts';
import type { Stop } from '#core/part.ts';
import { Proxies } from '#edge/client-address.ts';
import { CertificateShelf } from '#features/certificate/certificate.ts';
import { withEditors } from '#features/code-editor/code-editor.ts';
import { serveDocs } from '#features/docs/docs.routes.ts';
import { operationsOf } from '#features/feature.ts';
import { serveFrontEnd } from '#features/front-end/front-end.routes.ts';
import { serveMcp } from '#features/mcp/mcp.routes.ts';
import { serveSignInMetadata } from '#features/metrics-sign-in/metrics-sign-in.routes.ts';
import { serveOAuthMetadata } from '#features/oauth/oauth.routes.ts';
import { withDemos } from '#features/template/template.ts';
import type { Assembly } from './assembly.ts';
import { isDatabaseDiskFull } from './disk-reserve.ts';

/** Answers over HTTP: the API and its pages, sites, or only how the process is. */
export async function serve(assembly: Assembly): Promise<Stop> {
  const { services, features, edge, metrics, group } = assembly;
  const { config } = services;
  const operations = config.roles.has('api') ? operationsOf(features) : undefined;
  const listen = async (server: Server, port: number) => {
    const given = await group.portOf('secure');
    await listenOn(server, given ?? { port, host: config.host });
    group.share('secure', server);
  };
  const shelf = config.httpsPort === undefined ? undefined : new CertificateShelf(services);
  await shelf?.start();
  const proxies = new Proxies(config.trustProxy);
  const app = createApp({
    services,
    metrics: { ...metrics, render: () => group.pageOf(metrics) },
    operations: operations ?? [],
    sites: config.roles.has('edge') ? withEditors(services, withDemos(services, edge)) : NO_SITES,
    ...(shelf && {
      secure: {
        certificates: shelf,
        names: shelf,
        port: new URL(config.baseUrl).port,
        isProxy: (address) => proxies.trusts(address),
        ticketKeys: group.ticketKeys,
        listen,
      },
    }),
    ready: async () => {
      if (await isDatabaseDiskFull(config)) throw diskFull();
      await sql`select 1`.execute(services.db);
      return assembly.isComplete && services.listener.connected;
    },
    ...(operations && {
      pages: (instance) => {
        serveDocs(instance, services, operations);
        serveOAuthMetadata(instance, services);
        serveMcp(instance, services);
        serveSignInMetadata(instance, services);
        serveFrontEnd(instance, services);
      },
    }),
  });
  const given = await group.portOf('plain');
  if (given) {
    await app.ready();
    await listenOn(app.server, given);
  } else {
    await app.listen({ host: config.host, port: config.port });
    group.share('plain', app.server);
  }
  assembly.port = (app.server.address() as AddressInfo).port;
  return async () => {
    // Streams never end by themselves, so they are ended before the server waits for its requests.
    services.events.close();
    // Fastify closes what it has opened itself.
    const closed = given && new Promise((resolve) => app.server.close(resolve));
    await app.close();
    await closed;
    shelf?.close();
  };
}

/** At an address, or at a socket that another process has opened. */
function listenOn(server: Server, place: Server | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(place, resolve));
}
