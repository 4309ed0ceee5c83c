import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRepository } from '#testkit/git/repository.ts';
import { startNameServer } from '#testkit/servers/name-server.ts';
import { startUpstream } from '#testkit/servers/upstream.ts';

/**
 * The world outside of the service, as far as its operations ask it: a name server, a repository that may be read, and
 * somebody to call, whose names end in `.localhost`. So whoever may call an operation gets an answer.
 */
export interface Outside {
  port: number;
  env: Record<string, string>;
  close(): Promise<void>;
}

const REPOSITORY = 'site.git';

export async function startOutside(): Promise<Outside> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-outside-'));
  const [names, upstream] = await Promise.all([
    startNameServer(),
    startUpstream(({ url }) =>
      url.pathname === '/xmlrpc.php'
        ? { headers: { 'content-type': 'text/xml' }, body: '<methodResponse/>' }
        : { body: { answered: true } },
    ),
    makeRepository(join(folder, REPOSITORY), { 'plugins/hello.php': '<?php' }),
  ]);
  const { port } = upstream;
  return {
    port,
    env: {
      DNS_SERVERS: names.address,
      GIT_FILE_ROOTS: folder,
      OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      STOREFRONT_DOMAIN: `shops.localhost:${port}`,
      ANALYTICS_URL: `http://127.0.0.1:${port}`,
      ANALYTICS_TOKEN: 'a token of the tests',
    },
    async close() {
      await Promise.all([names.close(), upstream.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The one repository, of a service that was started with that environment. */
export const repositoryUrl = ({ gitFileRoots }: { gitFileRoots: string[] }) =>
  `file://${join(gitFileRoots[0] ?? '/nowhere', REPOSITORY)}`;
