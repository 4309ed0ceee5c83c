import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Log } from '#core/log.ts';
import { isRunning } from '#runtimes/folders/run-folder.ts';
import { inDraft, place } from '#runtimes/wordpress/distribution.ts';
import { prune } from './prune.ts';

/**
 * Gets VS Code for the browser into the cache, once a machine, when the first site wants an editor. It is one of the npm registry's
 * packages: its own hash is pinned here, and the lists inside it pin those of everything else. Nothing of it runs while it is installed.
 */
const PACKAGE = {
  name: 'code-server@4.139.1',
  sha512: 'fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
} as const;

/** Each has its own list of what it needs. */
const PARTS = ['.', 'lib/vscode', 'lib/vscode/extensions'];
const INSTALL = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
const STEP_LIMIT_MS = 10 * 60_000;
/** Whoever asks again and again does not have the registry asked each time. */
const RETRY_MS = 10_000;
const LOOK_AGAIN_MS = 1_000;
const LOCK_LIMIT_MS = 30 * 60_000;

/** Where our own extension is mounted, among those that come along. */
export const EXTENSION = '/opt/siteyard-extension';

export type InstallState =
  | { state: 'absent' }
  | { state: 'installing'; progress: { step: string; done: number; of: number } }
  | { state: 'installed' }
  | { state: 'failed'; reason: string };

const STEPS = ['fetching', 'unpacking', 'its server', 'its editor', 'its languages', 'tidying up'];

/** How the folder of the package is called in the cache. */
export const PACKAGE_FOLDER = join('tools', PACKAGE.name);

export class CodeServer {
  readonly folder: string;
  readonly #cacheFolder: string;
  readonly #log: Log;
  #installing: Promise<void> | undefined;
  #step = 0;
  #failure: { reason: string; atMs: number } | undefined;

  constructor(cacheFolder: string, log: Log) {
    this.#cacheFolder = cacheFolder;
    this.#log = log;
    this.folder = join(cacheFolder, PACKAGE_FOLDER);
  }

  get state(): InstallState {
    if (existsSync(this.folder)) return { state: 'installed' };
    if (this.#installing)
      return {
        state: 'installing',
        progress: { step: STEPS[this.#step] ?? '', done: this.#step, of: STEPS.length },
      };
    return this.#failure ? { state: 'failed', reason: this.#failure.reason } : { state: 'absent' };
  }

  /** Resolves when it is here, or has failed: `state` says which. */
  install(): Promise<void> {
    const isRecent = this.#failure !== undefined && performance.now() - this.#failure.atMs < RETRY_MS;
    if (existsSync(this.folder) || (isRecent && !this.#installing)) return Promise.resolve();
    this.#installing ??= this.#install()
      .then(() => {
        this.#failure = undefined;
      })
      .catch((error: Error) => {
        this.#failure = { reason: error.message, atMs: performance.now() };
        this.#log.warn({ err: error }, 'the code editor could not be installed');
      })
      .finally(() => {
        this.#installing = undefined;
      });
    return this.#installing;
  }

  async #install(): Promise<void> {
    this.#step = 0;
    this.#log.info({ package: PACKAGE.name }, 'fetching the code editor; this happens once');
    await inDraft(this.#cacheFolder, async (draft) => {
      const release = await this.#lock(join(this.#cacheFolder, 'code-server.lock'));
      try {
        // Another process of the platform may have been at it.
        if (!existsSync(this.folder)) await this.#fill(draft);
      } finally {
        await release();
      }
    });
    this.#log.info('the code editor is here');
  }

  async #fill(draft: string): Promise<void> {
    const npm = findNpm();
    await run(npm, ['pack', PACKAGE.name, '--silent', '--pack-destination', draft], draft);
    const archive = join(draft, (await readdir(draft)).find((name) => name.endsWith('.tgz')) ?? 'package.tgz');
    if ((await hashOf(archive)) !== PACKAGE.sha512)
      throw new Error(`${PACKAGE.name} is not the package that was expected`);
    this.#step++;
    await run('tar', ['-xzf', archive, '-C', draft, '--no-same-owner'], draft);
    await rm(archive);
    const folder = join(draft, 'package');
    for (const part of PARTS) {
      this.#step++;
      await run(npm, INSTALL, join(folder, part));
    }
    this.#step++;
    await prune(folder);
    await symlink(EXTENSION, join(folder, 'lib/vscode/extensions/siteyard'));
    await place(folder, this.folder);
  }

  /** One process at a time; the lock of one that was killed is nobody's. */
  async #lock(file: string): Promise<() => Promise<void>> {
    for (;;) {
      try {
        const handle = await open(file, 'wx');
        await handle.writeFile(String(process.pid));
        await handle.close();
        return () => rm(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const [owner, found] = await Promise.all([
        readFile(file, 'utf8').catch(() => ''),
        stat(file).catch(() => undefined),
      ]);
      const ageMs = found ? Date.now() - found.mtimeMs : 0;
      // It is written a moment after it is made.
      const isLeft = owner === '' ? ageMs > LOOK_AGAIN_MS : !isRunning(Number(owner));
      if (found && (isLeft || ageMs > LOCK_LIMIT_MS)) await rm(file, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}

/** The one that came with our Node, or what the machine has. */
function findNpm(): string {
  const beside = join(dirname(process.execPath), 'npm');
  return existsSync(beside) ? beside : 'npm';
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64');
}

/** Of our environment, where the registry is and how to get there. The rest has secrets in it. */
const PASSED_ON =
  /^(?:PATH|HOME|TMPDIR|LANG|npm_config_\w+|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i;

async function run(command: string, args: string[], cwd: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: STEP_LIMIT_MS });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 1_000)));
  const end = await new Promise<number | null | NodeJS.ErrnoException>((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
  if (end === 0) return;
  if (end instanceof Error && end.code === 'ENOENT') throw new Error(`There is no ${command} on this machine.`);
  const said = complaint.trim().split('\n').slice(0, 3).join(' ');
  throw new Error(
    `${command} ${args[0]} failed: ${said || (end instanceof Error ? end.message : `it ended with ${end}`)}`,
  );
}
