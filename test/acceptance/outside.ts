import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRepository } from '../git/repository.ts';
import { startNameServer } from '../name-server.ts';

/** The world outside of the service, as far as its operations ask it: a name server, and a repository that may be read. */
export interface Outside {
  env: Record<string, string>;
  close(): Promise<void>;
}

const REPOSITORY = 'site.git';

export async function startOutside(): Promise<Outside> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-outside-'));
  const [names] = await Promise.all([
    startNameServer(),
    makeRepository(join(folder, REPOSITORY), { 'plugins/hello.php': '<?php' }),
  ]);
  return {
    env: { DNS_SERVERS: names.address, GIT_FILE_ROOTS: folder },
    async close() {
      await names.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The one repository, of a service that was started with that environment. */
export const repositoryUrl = ({ gitFileRoots }: { gitFileRoots: string[] }) =>
  `file://${join(gitFileRoots[0] ?? '/nowhere', REPOSITORY)}`;
