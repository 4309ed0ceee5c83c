import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import {
  type FetchedFile,
  type Git,
  type GitCredential,
  GitFailed,
  type GitFetchOptions,
  type GitLook,
  type GitLookOptions,
  type GitTree,
  type GitUrl,
} from '#core/git.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';
import { withReader } from './fetched-file.ts';
import { GitCache } from './git-cache.ts';
import { addConfig, basicHeader, gitEnvironment } from './git-environment.ts';
import { explainFailure } from './git-failure.ts';
import { type GitAnswer, type GitLimits, runGit } from './git-process.ts';
import { type GitProxy, startGitProxy } from './git-proxy.ts';
import { type Ask, readCommit, readLook } from './git-tree.ts';
import { readGitUrl } from './git-url.ts';
import { sshCommand } from './ssh-command.ts';
import { Turns } from './turns.ts';

/**
 * Repositories of others, read with the real git. It gets nothing of our own environment, one protocol, one way out that
 * is guarded (a proxy for https, a checked address for ssh, a list of folders for files), and an end: in time, on disk and
 * in memory. A look asks for commits and the names of files alone, a fetch for one commit with its files; none is ever written out.
 */
const LIMITS: GitLimits = {
  timeoutMs: 30_000,
  maxBytes: 256 * 1024 * 1024,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxOutputBytes: 4 * 1024 * 1024,
};
/** Nobody waits for a look by the clock, and others wait behind it. */
const TIP_MS = 15_000;
/** For a repository with all its files, which become those of a site. */
const FETCH_LIMITS: GitLimits = {
  timeoutMs: 300_000,
  maxBytes: 512 * 1024 * 1024,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxOutputBytes: 64 * 1024 * 1024,
};
/** Looks side by side, in all and for one person; the others wait, and their time runs meanwhile. */
const AT_ONCE = { atOnce: 8, each: 2 };
/** Longer than anything that is done with what was fetched. */
const STALE_MS = 3_600_000;

export interface GitOptions {
  outbound: Outbound;
  /** Where looks happen and what hosts showed as their keys is kept. */
  folder: string;
  /** Folders of this machine that file: URLs may name. */
  fileRoots: readonly string[];
  program?: string;
  limits?: Partial<GitLimits>;
}

/** One look: a folder of its own, and what git is told in there. */
interface Run {
  folder: string;
  deadline: number;
  limits: GitLimits;
  env: Record<string, string>;
}

interface OutsideRun extends Run {
  proxy: GitProxy | undefined;
}

export class GitClient implements Git {
  readonly #options: GitOptions;
  readonly #limits: GitLimits;
  readonly #turns = new Turns(AT_ONCE);
  readonly #cache: GitCache;

  constructor(options: GitOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#cache = new GitCache(join(options.folder, 'kept'));
  }

  readUrl(text: string): GitUrl {
    return readGitUrl(text, this.#options.outbound);
  }

  async look(url: GitUrl, options: GitLookOptions = {}): Promise<GitLook> {
    return this.#inRun(url, options, this.#limits, async (run) => {
      await this.#outside(run, url, options, (outside) => this.#clone(outside, url, options.branch));
      return this.#read(run, options);
    });
  }

  async tip(url: GitUrl, options: GitLookOptions = {}): Promise<{ branch: string; commit: string }> {
    const limits = { ...this.#limits, timeoutMs: Math.min(this.#limits.timeoutMs, TIP_MS) };
    return this.#inRun(url, options, limits, (run) =>
      this.#outside(run, url, options, (outside) => this.#tip(outside, url, options.branch)),
    );
  }

  async withTree<T>(url: GitUrl, options: GitFetchOptions, use: (tree: GitTree) => Promise<T>): Promise<T> {
    return this.#inRun(url, options, FETCH_LIMITS, async (run, giveTurn) => {
      const repository = join(run.folder, 'repository');
      const isKnown = await this.#cache.take(options.cache, repository);
      const { branch, commit } = await this.#fetch(run, url, options).catch(async (error) => {
        // What was kept may be what is broken.
        if (!isKnown || (error as GitFailed).reason !== 'failed') throw error;
        await rm(repository, { recursive: true, force: true });
        return this.#fetch(run, url, options);
      });
      giveTurn();
      const tree = await readCommit(this.#inside(run), commit, branch, options.folders ?? []);
      const result = await use(tree);
      await this.#cache.keep(options.cache, repository);
      return result;
    });
  }

  async withFile<T>(
    url: GitUrl,
    options: GitLookOptions & { names: readonly string[] },
    work: (file: FetchedFile) => Promise<T>,
  ): Promise<T> {
    const place = join(this.#options.folder, 'looks', `${randomUUID()}.file`);
    try {
      const found = await this.#inRun(url, options, this.#limits, async (run) => {
        await this.#outside(run, url, options, (outside) => this.#clone(outside, url, options.branch, []));
        return this.#takeFile(run, options, place);
      });
      return await withReader(place, (reader) => work({ ...found, ...reader }));
    } finally {
      await rm(place, { force: true });
    }
  }

  /** In a folder of its own, when it is one's turn. */
  async #inRun<T>(
    url: GitUrl,
    { who = '' }: GitLookOptions,
    limits: GitLimits,
    act: (run: Run, giveTurn: () => void) => Promise<T>,
  ): Promise<T> {
    const deadline = Date.now() + limits.timeoutMs;
    const done = await this.#turns.take(who, deadline);
    let hasTurn = true;
    const giveTurn = () => {
      if (hasTurn) done();
      hasTurn = false;
    };
    const folder = join(this.#options.folder, 'looks', randomUUID());
    try {
      await this.#sweep();
      await mkdir(join(folder, 'home'), { recursive: true, mode: 0o700 });
      return await act({ folder, deadline, limits, env: await gitEnvironment(url, folder) }, giveTurn);
    } finally {
      await rm(folder, { recursive: true, force: true });
      giveTurn();
    }
  }

  /** The one part of a run that may leave the machine, by one way. */
  async #outside<T>(
    run: Run,
    url: GitUrl,
    { credential }: GitLookOptions,
    act: (run: OutsideRun) => Promise<T>,
  ): Promise<T> {
    const env = { ...run.env };
    if (url.kind === 'file') await this.#requireAllowed(url);
    if (url.kind === 'ssh') env.GIT_SSH_COMMAND = await this.#sshCommand(run, url, credential);
    const only = credential && `${url.host}:${url.port}`;
    const { maxBytes } = run.limits;
    const proxy = url.kind === 'https' ? await startGitProxy(this.#options.outbound, { only, maxBytes }) : undefined;
    try {
      if (proxy) addConfig(env, 'http.proxy', proxy.url);
      if (proxy && credential && 'token' in credential) addConfig(env, 'http.extraHeader', basicHeader(credential));
      return await act({ ...run, env, proxy });
    } finally {
      proxy?.close();
    }
  }

  async #clone(
    run: OutsideRun,
    url: GitUrl,
    branch: string | undefined,
    filter = ['--filter=blob:none'],
  ): Promise<void> {
    const shallow = ['--depth=1', ...filter, '--single-branch', '--no-tags'];
    const quiet = ['--quiet', '--bare', '--template=', '--no-recurse-submodules'];
    const named = branch === undefined ? [] : [`--branch=${branch}`];
    await this.#ask(run, ['clone', ...quiet, ...shallow, ...named, '--', url.text, 'repository']);
  }

  /** The content as it was committed: no attribute of the repository changes anything about it. */
  async #takeFile(
    run: Run,
    options: GitLookOptions & { names: readonly string[] },
    place: string,
  ): Promise<Pick<FetchedFile, 'name' | 'commit'>> {
    const { root, commit } = await this.#read(run, options);
    const name = options.names.find((wanted) => root.some((entry) => entry.name === wanted && entry.type === 'blob'));
    if (name === undefined)
      throw new GitFailed('no_file', `The repository has none of ${options.names.join(', ')} at its top.`);
    const { exitCode, stdout } = await this.#inside(run)(['unpack-file', `HEAD:${name}`]);
    if (exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
    await rename(join(run.folder, basename(stdout.trim())), place);
    return { name, commit };
  }

  async #tip(run: OutsideRun, url: GitUrl, branch: string | undefined): Promise<{ branch: string; commit: string }> {
    const wanted = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const { stdout } = await this.#ask(run, ['ls-remote', '--quiet', '--symref', '--', url.text, wanted]);
    const named = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(stdout)?.[1];
    const commit = new RegExp(`^([0-9a-f]{40,64})\t${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm').exec(
      stdout,
    )?.[1];
    if (commit !== undefined) return { branch: branch ?? named ?? 'HEAD', commit };
    if (branch !== undefined) throw new GitFailed('no_branch', 'There is no such branch.');
    throw new GitFailed('empty', 'The repository has no commit yet.');
  }

  /** Beside what was fetched before, so that only what changed comes; the history is not asked for. */
  async #fetch(run: Run, url: GitUrl, options: GitFetchOptions): Promise<{ branch: string; commit: string }> {
    const made = await this.#git(run, ['init', '--quiet', '--bare', '--template=', 'repository']);
    if (made.exitCode !== 0) throw new GitFailed('failed', 'Git could not keep the repository.');
    return this.#outside(run, url, options, async (outside) => {
      const { branch } = await this.#tip(outside, url, options.branch);
      const shallow = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
      const into = branch === 'HEAD' ? '+HEAD:refs/heads/fetched' : `+refs/heads/${branch}:refs/heads/fetched`;
      await this.#ask(outside, ['--git-dir=repository', 'fetch', ...shallow, '--', url.text, into]);
      const head = await this.#inside(run)(['rev-parse', '--verify', '--quiet', 'refs/heads/fetched^{commit}']);
      if (head.exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
      return { branch, commit: head.stdout.trim() };
    });
  }

  async #ask(run: OutsideRun, args: string[]): Promise<GitAnswer> {
    const answer = await this.#git(run, args);
    if (run.proxy?.isFull()) throw new GitFailed('too_large', 'The repository is larger than what is looked at.');
    if (answer.exitCode !== 0) throw explainFailure(answer.stderr, run.proxy?.failure());
    return answer;
  }

  /** What was fetched is read without any way out: a server that left something out is not asked for it again. */
  #inside(run: Run): Ask {
    const env = { ...run.env, GIT_ALLOW_PROTOCOL: 'none' };
    return (args, input) => {
      const deadline = Date.now() + run.limits.timeoutMs;
      return this.#git({ ...run, deadline, env }, ['--git-dir=repository', ...args], input);
    };
  }

  async #read(run: Run, { branch: wanted, folders = [] }: GitLookOptions): Promise<GitLook> {
    const ask = this.#inside(run);
    const head = await ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head.exitCode !== 0) throw new GitFailed('empty', 'The repository has no commit yet.');
    const symbolic = await ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
    // A tag of that name is no branch.
    if (symbolic.exitCode !== 0 && wanted !== undefined) throw new GitFailed('no_branch', 'There is no such branch.');
    return readLook(ask, head.stdout.trim(), symbolic.stdout.trim() || 'HEAD', folders);
  }

  #git(run: Run, args: string[], input?: string): Promise<GitAnswer> {
    return runGit({ ...run, program: this.#options.program ?? 'git', args, ...(input !== undefined && { input }) });
  }

  async #sshCommand({ folder }: Run, url: GitUrl, credential: GitCredential | undefined): Promise<string> {
    const address = await this.#options.outbound.resolve(url.host).catch((error: Error) => {
      throw new GitFailed(error instanceof OutboundRefused ? 'refused' : 'unreachable', error.message);
    });
    const keyFile = join(folder, 'key');
    const hasKey = credential !== undefined && 'privateKey' in credential;
    if (hasKey) await writeFile(keyFile, credential.privateKey, { mode: 0o600 });
    return sshCommand({
      address: address[0] as string,
      url,
      keyFile: hasKey ? keyFile : undefined,
      knownHostsFile: join(this.#options.folder, 'known-hosts'),
    });
  }

  /** As it is once every link has been followed, it must lie in a folder that the operator named. */
  async #requireAllowed({ path }: GitUrl): Promise<void> {
    const refused = new GitFailed('refused', 'names a folder of the platform that its operator has not opened');
    const real = await realpath(path).catch(() => undefined);
    const roots = await Promise.all(this.#options.fileRoots.map((root) => realpath(root).catch(() => undefined)));
    const isInside = real !== undefined && roots.some((root) => root !== undefined && real.startsWith(`${root}${sep}`));
    if (!isInside || real !== path.replace(/\/+$/, '')) throw refused;
  }

  /** What a killed process left behind, a key among it. */
  async #sweep(): Promise<void> {
    const looks = join(this.#options.folder, 'looks');
    for (const name of await readdir(looks).catch(() => [])) {
      const made = (await stat(join(looks, name)).catch(() => undefined))?.mtimeMs ?? Date.now();
      if (made < Date.now() - STALE_MS) await rm(join(looks, name), { recursive: true, force: true });
    }
  }
}
