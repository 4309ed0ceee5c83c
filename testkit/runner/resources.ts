import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceName } from './messages.ts';

/**
 * What all workers of a run share and only some files need. The runner starts each at the first request and stops it after the last file,
 * so that a pure unit test waits for none of them.
 */
interface Resource {
  /** Variables that the workers get in their environment. */
  env?: Record<string, string>;
  stop?(): Promise<unknown>;
}

const root = join(import.meta.dirname, '../..');

const START: Record<ResourceName, () => Promise<Resource>> = {
  postgres: startPostgres,
  async wordpress() {
    await (await import('../drivers/wordpress-cache.ts')).prepareWordPress();
    return {};
  },
  async fpm() {
    await resources.start('wordpress');
    await (await import('../drivers/fpm-runtime.ts')).prepareFpm();
    return {};
  },
  async builds() {
    const setup = spawn(process.execPath, ['scripts/setup.mjs', '--test'], { cwd: root, stdio: 'inherit' });
    const code = await new Promise((resolve) => setup.once('close', resolve));
    if (code !== 0) throw new Error('scripts/setup.mjs --test failed');
    return {};
  },
};

/** The resources of this run, in the runner's process. */
class Resources {
  readonly #started = new Map<ResourceName, Promise<Resource>>();

  start(name: ResourceName): Promise<Resource> {
    const started = this.#started.get(name) ?? START[name]();
    this.#started.set(name, started);
    return started;
  }

  async stop(): Promise<void> {
    const { stopTestMariadb } = await import('../drivers/mariadb.ts');
    await stopTestMariadb();
    for (const started of this.#started.values()) await (await started.catch(() => undefined))?.stop?.();
    this.#started.clear();
  }
}

export const resources = new Resources();

async function startPostgres(): Promise<Resource> {
  if (process.env.TEST_DATABASE_URL) return {};
  const { startEmbeddedPostgres } = await import('#core/db/embedded-postgres.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-test-pg-'));
  // Postgres runs as another user if we are root, and must be able to enter.
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    // The data is thrown away, so nothing has to survive a power cut.
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: 200 },
  });
  return {
    env: { TEST_DATABASE_URL: postgres.url },
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
