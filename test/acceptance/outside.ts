import { startUpstream } from '../upstream.ts';

/** Somebody for the service to call, so that whoever may call gets an answer. Their names end in `.localhost`. */
export interface Outside {
  port: number;
  env: Record<string, string>;
  close(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const upstream = await startUpstream(({ url }) =>
    url.pathname === '/xmlrpc.php'
      ? { headers: { 'content-type': 'text/xml' }, body: '<methodResponse/>' }
      : { body: { answered: true } },
  );
  const { port } = upstream;
  return {
    port,
    env: {
      OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      STOREFRONT_DOMAIN: `shops.localhost:${port}`,
      ANALYTICS_URL: `http://127.0.0.1:${port}`,
      ANALYTICS_TOKEN: 'a token of the tests',
    },
    close: () => upstream.close(),
  };
}
