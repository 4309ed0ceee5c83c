import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { createApp, NO_SITES } from '#core/http/server.ts';
import type { Stop } from '#core/part.ts';
import { Proxies } from '#edge/client-address.ts';
import { CertificateShelf } from '#features/certificate/certificate.ts';
import { withEditors } from '#features/code-editor/code-editor.ts';
import { serveDocs } from '#features/docs/docs.routes.ts';
import { operationsOf } from '#features/feature.ts';
import { serveMcp } from '#features/mcp/mcp.routes.ts';
import { serveSignInMetadata } from '#features/metrics-sign-in/metrics-sign-in.routes.ts';
import { serveOAuthMetadata } from '#features/oauth/oauth.routes.ts';
import { withDemos } from '#features/template/template.ts';
import type { Assembly } from './assembly.ts';

/** Answers over HTTP: the API and its pages, sites, or only how the process is. */
export async function serve(assembly: Assembly): Promise<Stop> {
  const { services, features, edge, metrics } = assembly;
  const { config } = services;
  const operations = config.roles.has('api') ? operationsOf(features) : undefined;
  const shelf = config.httpsPort === undefined ? undefined : new CertificateShelf(services);
  await shelf?.start();
  const proxies = new Proxies(config.trustProxy);
  const app = createApp({
    services,
    metrics,
    operations: operations ?? [],
    sites: config.roles.has('edge') ? withEditors(services, withDemos(services, edge)) : NO_SITES,
    ...(shelf && {
      secure: {
        certificates: shelf,
        names: shelf,
        port: new URL(config.baseUrl).port,
        isProxy: (address) => proxies.trusts(address),
      },
    }),
    ready: async () => {
      await sql`select 1`.execute(services.db);
      return assembly.isComplete && services.listener.connected;
    },
    ...(operations && {
      pages: (instance) => {
        serveDocs(instance, services, operations);
        serveOAuthMetadata(instance, services);
        serveMcp(instance, services);
        serveSignInMetadata(instance, services);
        services.frontEnd.register(instance);
      },
    }),
  });
  await app.listen({ host: config.host, port: config.port });
  assembly.port = (app.server.address() as AddressInfo).port;
  return async () => {
    // Streams never end by themselves, so they are ended before the server waits for its requests.
    services.events.close();
    await app.close();
    shelf?.close();
  };
}
