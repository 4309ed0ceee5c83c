import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolderDurably, placeDurably, syncFolder, syncTree } from '#core/durable-folder.ts';
import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { downloadRelease, newestRelease, type ReleaseSource } from './releases.ts';

/**
 * Gets WordPress, its SQLite integration and wp-cli, once, into a cache that is used offline ever after. Versions of
 * WordPress are kept side by side, since every site names its own. Each folder appears whole or not at all.
 *
 * The package is one of the npm registry's, which is the one place that every machine with npm reaches. Where WordPress'
 * own releases can be reached, the newest of them is fetched besides, and new sites get that one.
 */
export const PACKAGE = {
  name: 'wp-studio@1.22.0',
  sha512: 'boMtahkhgWDKKyNTBA1uTK5ghnAmxXhDY6KeQCO9FmcI3/o+YOSq8JwYW5ZYnxHCxH14Jf/mD6CJTBvTWl2Ytw==',
  files: 'package/dist/cli/wp-files',
} as const;

export interface Tools {
  sqliteFolder: string;
  wpCliFolder: string;
}

export class Distribution {
  readonly #cacheFolder: string;
  readonly #releases: { outbound: Outbound; source: ReleaseSource } | undefined;
  readonly #log: Log;
  #ready: Promise<Tools> | undefined;

  constructor(cacheFolder: string, releases: { outbound: Outbound; source: ReleaseSource } | undefined, log: Log) {
    this.#cacheFolder = cacheFolder;
    this.#releases = releases;
    this.#log = log;
  }

  /** Looks for a newer WordPress among the releases; true when one has come. Not being reachable is no failure. */
  async update(): Promise<boolean> {
    if (!this.#releases) return false;
    const { outbound, source } = this.#releases;
    try {
      const version = await newestRelease(outbound, source);
      const [newest] = await this.coreVersions();
      if (newest && compareVersions(version, newest) <= 0) return false;
      await this.#fetchRelease(outbound, source, version);
      return true;
    } catch (error) {
      this.#log.debug({ err: error }, 'could not look for a new WordPress');
      return false;
    }
  }

  /** Has this very version at hand: a site may be older than the machine that it came to. */
  async require(version: string): Promise<void> {
    await this.tools();
    if ((await this.coreVersions()).includes(version)) return;
    if (!this.#releases) throw new Error(`WordPress ${version} is not here, and no source of releases is named`);
    await this.#fetchRelease(this.#releases.outbound, this.#releases.source, version);
  }

  async #fetchRelease(outbound: Outbound, source: ReleaseSource, version: string): Promise<void> {
    await this.#inDraft(async (draft) => {
      const archive = await downloadRelease(outbound, source, version, draft);
      await run('tar', ['-xzf', archive, '-C', draft], draft);
      await this.#keepCore(join(draft, 'wordpress'));
    });
    this.#log.info({ version }, 'another WordPress is here');
  }

  /** Resolves when there is a WordPress and the tools for it; a failed attempt is made again by the next call. */
  tools(): Promise<Tools> {
    this.#ready ??= this.#prepare().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  coreFolder(version: string): string {
    return join(this.#cacheFolder, 'wordpress', version);
  }

  /** The versions at hand, newest first. */
  async coreVersions(): Promise<string[]> {
    const names = await readdir(join(this.#cacheFolder, 'wordpress')).catch(() => []);
    return names
      .filter((name) => /^\d+(\.\d+)+/.test(name))
      .sort(compareVersions)
      .reverse();
  }

  async #prepare(): Promise<Tools> {
    const folder = join(this.#cacheFolder, 'tools', PACKAGE.name);
    const tools = { sqliteFolder: join(folder, 'sqlite-database-integration'), wpCliFolder: join(folder, 'wp-cli') };
    const isThere = await readdir(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) await this.#fetchPackage(folder);
    return tools;
  }

  async #fetchPackage(toolsFolder: string): Promise<void> {
    this.#log.info({ package: PACKAGE.name }, 'fetching WordPress; this happens once');
    await this.#inDraft(async (draft) => {
      await run('npm', ['pack', PACKAGE.name, '--loglevel=error', '--pack-destination', draft], draft);
      const archive = join(draft, (await readdir(draft)).find((name) => name.endsWith('.tgz')) ?? 'package.tgz');
      if ((await hashOf(archive)) !== PACKAGE.sha512)
        throw new Error(`${PACKAGE.name} is not the package that was expected`);
      const wanted = ['latest/wordpress', 'sqlite-database-integration', 'wp-cli'];
      await run('tar', ['-xzf', archive, '-C', draft, ...wanted.map((name) => `${PACKAGE.files}/${name}`)], draft);
      await rm(archive);
      const files = join(draft, PACKAGE.files);
      await this.#keepCore(join(files, 'latest', 'wordpress'));
      await rm(join(files, 'latest'), { recursive: true });
      await place(files, toolsFolder);
    });
    this.#log.info('WordPress is here');
  }

  /** Puts an unpacked WordPress among the kept versions. */
  async #keepCore(folder: string): Promise<void> {
    const version = /\$wp_version = '([\d.]+)'/.exec(
      await readFile(join(folder, 'wp-includes/version.php'), 'utf8'),
    )?.[1];
    if (!version) throw new Error('the archive holds no WordPress');
    // A site's content folder stands in the place of this one; only the themes that come with WordPress are shared.
    await rm(join(folder, 'wp-content', 'plugins'), { recursive: true, force: true });
    await place(folder, this.coreFolder(version));
  }

  #inDraft(work: (folder: string) => Promise<void>): Promise<void> {
    return inDraft(this.#cacheFolder, work);
  }
}

/** Others may share the folder, so that only what is surely nobody's any more is removed. */
const ABANDONED_MS = 3_600_000;

/** Gives work a folder beside its target, which is gone afterwards, as are those that a kill left behind. */
export async function inDraft<T>(folder: string, work: (draft: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isOld = name.startsWith('draft-') && Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
    if (isOld) await rm(path, { recursive: true, force: true });
  }
  const draft = join(folder, `draft-${randomBytes(6).toString('hex')}`);
  await mkdir(draft);
  try {
    return await work(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Moves a folder into place, to stay; where somebody else was faster, theirs is as good. */
export async function place(draft: string, target: string): Promise<void> {
  await makeFolderDurably(dirname(target));
  await placeDurably(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EXDEV') {
      await cp(draft, target, { recursive: true });
      await syncTree(target);
      await syncFolder(dirname(target));
    } else if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64');
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

async function run(command: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-2_000)));
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  if (end !== 0) throw new Error(`${command} ${args[0]} failed: ${complaint.trim() || end}`);
}
