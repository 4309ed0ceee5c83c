import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { requestSite } from '#runtimes/request.ts';
import type { RunningSite, SiteSpec } from '#runtimes/runtime.ts';
import { inDraft, place } from '#runtimes/wordpress/distribution.ts';
import { copyImage } from '#runtimes/wordpress/images.ts';
import { imageSite, LAYOUT } from '#runtimes/wordpress/layout.ts';
import type { PhpInstall } from './php-install.ts';

export interface CompiledCoreOptions {
  /** A folder of the platform's own, in the cache. */
  folder: string;
  coreFolder(coreVersion: string): string;
  imageOf(coreVersion: string, phpVersion: string): Promise<string>;
  /** Wakes a site that compiles into a folder. */
  wake(site: SiteSpec, siteFolder: string, compileTo: string): { site: RunningSite; stop(): Promise<void> };
  log: Log;
}

/** What a site that wakes is asked for first, by visitors and by its owner. */
const PAGES = [
  '/',
  '/?p=1',
  '/hello-world/',
  '/no-such-page/',
  '/wp-login.php',
  '/feed/',
  '/wp-json/',
  '/wp-json/wp/v2/posts',
  '/wp-cron.php',
  '/wp-admin/',
  '/xmlrpc.php',
];
const PAGE_LIMIT_MS = 60_000;
const BUILD_NAME = /^[0-9a-f]{32}$/;

/**
 * WordPress itself, compiled once for each of its versions and each PHP, for all sites: a site that wakes then reads what it would compile. It
 * comes from an empty site in which nobody else's code has run, and sites can only read it.
 */
export class CompiledCore {
  readonly #options: CompiledCoreOptions;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(options: CompiledCoreOptions) {
    this.#options = options;
  }

  /** The folder that has the name of the build of PHP; undefined while there is none. Nobody waits for it to be made. */
  async of({ coreVersion }: SiteSpec, php: PhpInstall): Promise<string | undefined> {
    const key = this.#keyOf(coreVersion, php);
    const known = this.#known.get(key);
    if (known) return known;
    const found = await buildIn(join(this.#options.folder, key));
    if (found) this.#known.set(key, Promise.resolve(found));
    return found;
  }

  /** Makes it where there is none. */
  async make(coreVersion: string, php: PhpInstall): Promise<void> {
    const key = this.#keyOf(coreVersion, php);
    const target = join(this.#options.folder, key);
    if (existsSync(target)) return;
    await mkdir(this.#options.folder, { recursive: true });
    await inDraft(this.#options.folder, async (draft) => {
      const siteFolder = join(draft, 'site');
      const compiled = join(draft, 'compiled');
      await copyImage(await this.#options.imageOf(coreVersion, php.version), siteFolder);
      await mkdir(compiled, { mode: 0o700 });
      await this.#visit(coreVersion, php, siteFolder, compiled);
      const build = await buildIn(compiled);
      if (!build) throw new Error('PHP has compiled nothing');
      // Every site's own.
      await rm(join(build, LAYOUT.content), { recursive: true, force: true });
      await makeReadable(compiled);
      await place(compiled, target);
    });
    this.#known.delete(key);
  }

  async #visit(coreVersion: string, php: PhpInstall, siteFolder: string, compileTo: string): Promise<void> {
    const spec = {
      ...imageSite(coreVersion, php.version),
      id: `image-${randomBytes(6).toString('hex')}`,
      isOffline: true,
    };
    const { site, stop } = this.#options.wake(spec, siteFolder, compileTo);
    try {
      for (const path of PAGES)
        await requestSite({ start: async () => site }, spec, { method: 'GET', path, timeoutMs: PAGE_LIMIT_MS });
    } finally {
      await stop();
    }
  }

  /** Of another folder PHP would not take it. */
  #keyOf(coreVersion: string, { release }: PhpInstall): string {
    const place = createHash('sha256').update(this.#options.coreFolder(coreVersion)).digest('hex').slice(0, 8);
    return `${coreVersion}-${release}-${place}`;
  }
}

async function buildIn(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => BUILD_NAME.test(each));
  return name && join(folder, name);
}

/** PHP makes them for whoever it ran as. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}
