import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type FetchedFile,
  type Git,
  type GitBranch,
  type GitBranchOptions,
  GitFailed,
  type GitFetchOptions,
  type GitLook,
  type GitLookOptions,
  type GitRules,
  type GitTree,
  type GitUrl,
  type GitVerdicts,
} from '#core/git.ts';
import { readText, withReader } from './fetched-file.ts';
import { GitCache } from './git-cache.ts';
import { explainPush, makeCommit, storeContents } from './git-commit.ts';
import type { GitLimits } from './git-process.ts';
import { judgePaths } from './git-rules.ts';
import { type GitOptions, GitRuns, type OutsideRun, type Run } from './git-runs.ts';
import { readCommit, readLook } from './git-tree.ts';
import { readGitUrl } from './git-url.ts';

const README = /^readme(\.md|\.txt)?$/i;

/**
 * Repositories of others, read and added to with the real git (git-runs.ts says how that is kept in bounds). A look asks for commits and the names of files alone, a fetch for one commit with its files; none is ever written out.
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
/** Patterns of a stranger may take long. */
const JUDGE_LIMITS: GitLimits = { ...FETCH_LIMITS, timeoutMs: 20_000 };
const FETCHED = 'refs/heads/fetched';
/** How many commits of a branch are looked through for one. */
const LOOK_BACK = 100;
export class GitClient implements Git {
  readonly #options: GitOptions;
  readonly #limits: GitLimits;
  readonly #runs: GitRuns;
  readonly #cache: GitCache;

  constructor(options: GitOptions) {
    this.#options = options;
    this.#runs = new GitRuns(options);
    this.#limits = { ...LIMITS, ...options.limits };
    this.#cache = new GitCache(join(options.folder, 'kept'));
  }

  readUrl(text: string): GitUrl {
    return readGitUrl(text, this.#options.outbound);
  }

  async look(url: GitUrl, options: GitLookOptions = {}): Promise<GitLook> {
    return this.#runs.begin(url, options, this.#limits, async (run) => {
      await this.#runs.outside(run, url, options, (outside) => this.#clone(outside, url, options.branch));
      return this.#read(run, options);
    });
  }

  async tip(url: GitUrl, options: GitLookOptions = {}): Promise<{ branch: string; commit: string }> {
    const limits = { ...this.#limits, timeoutMs: Math.min(this.#limits.timeoutMs, TIP_MS) };
    return this.#runs.begin(url, options, limits, (run) =>
      this.#runs.outside(run, url, options, (outside) => this.#tip(outside, url, options.branch)),
    );
  }

  async withTree<T>(url: GitUrl, options: GitFetchOptions, use: (tree: GitTree) => Promise<T>): Promise<T> {
    return this.#runs.begin(url, options, FETCH_LIMITS, async (run, giveTurn) => {
      const repository = join(run.folder, 'repository');
      const { branch, commit } = await this.#fetchKept(run, url, options);
      giveTurn();
      const tree = await readCommit(this.#runs.inside(run), commit, branch, options.folders ?? []);
      const result = await use(tree);
      await this.#cache.keep(options.cache, repository);
      return result;
    });
  }

  async withBranch<T>(url: GitUrl, options: GitBranchOptions, use: (branch: GitBranch) => Promise<T>): Promise<T> {
    return this.#runs.begin(url, options, FETCH_LIMITS, async (run) => {
      const repository = join(run.folder, 'repository');
      const commit = await this.#fetchKept(run, url, options).then(
        (fetched) => fetched.commit,
        (error: GitFailed) => {
          if (error.reason !== 'no_branch') throw error;
          return this.#fetchCommit(run, url, options);
        },
      );
      const ask = this.#runs.inside(run);
      const result = await use({
        ...(await readCommit(ask, commit, options.branch, options.folders ?? [])),
        store: (contents) => storeContents(ask, run.folder, contents),
        make: (changes, by) => makeCommit(ask, commit, changes, by),
        push: (made) => this.#push(run, url, options, made),
        has: (wanted) => this.#isOnBranch(run, url, options, wanted),
      });
      await this.#cache.keep(options.cache, repository);
      return result;
    });
  }

  async judge(rules: GitRules, paths: readonly string[]): Promise<GitVerdicts> {
    return this.#runs.here(JUDGE_LIMITS, (ask, folder) => judgePaths(ask, folder, rules, paths));
  }

  async withFile<T>(
    url: GitUrl,
    options: GitLookOptions & { names: readonly string[] },
    work: (file: FetchedFile) => Promise<T>,
  ): Promise<T> {
    const place = join(this.#options.folder, 'looks', `${randomUUID()}.file`);
    try {
      const found = await this.#runs.begin(url, options, this.#limits, async (run) => {
        await this.#runs.outside(run, url, options, (outside) => this.#clone(outside, url, options.branch, []));
        return this.#takeFile(run, options, place);
      });
      return await withReader(place, (reader) => work({ ...found, ...reader }));
    } finally {
      await rm(place, { force: true });
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
    await this.#runs.ask(run, ['clone', ...quiet, ...shallow, ...named, '--', url.text, 'repository']);
  }

  /** The content as it was committed: no attribute of the repository changes anything about it. */
  async #takeFile(
    run: Run,
    options: GitLookOptions & { names: readonly string[] },
    place: string,
  ): Promise<Pick<FetchedFile, 'name' | 'commit' | 'readme'>> {
    const { root, commit } = await this.#read(run, options);
    const files = root.filter(({ type }) => type === 'blob').map((entry) => entry.name);
    const name = options.names.find((wanted) => files.includes(wanted));
    if (name === undefined)
      throw new GitFailed('no_file', `The repository has none of ${options.names.join(', ')} at its top.`);
    const readmeName = files.find((each) => README.test(each));
    const readme = readmeName === undefined ? null : await readText(await this.#unpackFile(run, readmeName));
    await rename(await this.#unpackFile(run, name), place);
    return { name, commit, readme };
  }

  /** Returns the path of a file that has the content. */
  async #unpackFile(run: Run, name: string): Promise<string> {
    const { exitCode, stdout } = await this.#runs.inside(run)(['unpack-file', `HEAD:${name}`]);
    if (exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
    return join(run.folder, basename(stdout.trim()));
  }

  async #tip(run: OutsideRun, url: GitUrl, branch: string | undefined): Promise<{ branch: string; commit: string }> {
    const wanted = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const { stdout } = await this.#runs.ask(run, ['ls-remote', '--quiet', '--symref', '--', url.text, wanted]);
    const named = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(stdout)?.[1];
    const commit = new RegExp(`^([0-9a-f]{40,64})\t${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm').exec(
      stdout,
    )?.[1];
    if (commit !== undefined) return { branch: branch ?? named ?? 'HEAD', commit };
    if (branch !== undefined) throw new GitFailed('no_branch', 'There is no such branch.');
    throw new GitFailed('empty', 'The repository has no commit yet.');
  }

  async #fetchKept(run: Run, url: GitUrl, options: GitFetchOptions): Promise<{ branch: string; commit: string }> {
    const repository = join(run.folder, 'repository');
    const isKnown = await this.#cache.take(options.cache, repository);
    return this.#fetch(run, url, options).catch(async (error) => {
      // What was kept may be what is broken.
      if (!isKnown || (error as GitFailed).reason !== 'failed') throw error;
      await rm(repository, { recursive: true, force: true });
      return this.#fetch(run, url, options);
    });
  }

  /** Beside what was fetched before, so that only what changed comes; the history is not asked for. */
  async #fetch(run: Run, url: GitUrl, options: GitFetchOptions): Promise<{ branch: string; commit: string }> {
    const made = await this.#runs.git(run, ['init', '--quiet', '--bare', '--template=', 'repository']);
    if (made.exitCode !== 0) throw new GitFailed('failed', 'Git could not keep the repository.');
    return this.#runs.outside(run, url, options, async (outside) => {
      const { branch } = await this.#tip(outside, url, options.branch);
      const from = branch === 'HEAD' ? 'HEAD' : `refs/heads/${branch}`;
      return { branch, commit: await this.#fetchFrom(outside, url, from) };
    });
  }

  async #fetchFrom(run: OutsideRun, url: GitUrl, from: string, depth = 1): Promise<string> {
    const shallow = ['--quiet', `--depth=${depth}`, '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    await this.#runs.ask(run, ['--git-dir=repository', 'fetch', ...shallow, '--', url.text, `+${from}:${FETCHED}`]);
    const head = await this.#runs.inside(run)(['rev-parse', '--verify', '--quiet', `${FETCHED}^{commit}`]);
    if (head.exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
    return head.stdout.trim();
  }

  /** A commit that no branch needs to have as its newest. */
  async #fetchCommit(run: Run, url: GitUrl, options: GitBranchOptions): Promise<string> {
    return this.#runs
      .outside(run, url, options, (outside) => this.#fetchFrom(outside, url, options.base))
      .catch((error) => {
        if ((error as GitFailed).reason !== 'failed') throw error;
        throw new GitFailed('no_commit', 'The commit that the site has is not in the repository any more.');
      });
  }

  async #push(run: Run, url: GitUrl, options: GitBranchOptions, commit: string): Promise<void> {
    const late = { ...run, deadline: performance.now() + run.limits.timeoutMs };
    await this.#runs.outside(late, url, options, async (outside) => {
      const plain = ['--porcelain', '--no-verify', '--recurse-submodules=no'];
      const into = `${commit}:refs/heads/${options.branch}`;
      const answer = await this.#runs.git(outside, ['--git-dir=repository', 'push', ...plain, '--', url.text, into]);
      if (answer.exitCode !== 0) throw explainPush(answer, outside.proxy?.failure());
    });
  }

  async #isOnBranch(run: Run, url: GitUrl, options: GitBranchOptions, commit: string): Promise<boolean> {
    const late = { ...run, deadline: performance.now() + run.limits.timeoutMs };
    return this.#runs
      .outside(late, url, options, async (outside) => {
        await this.#tip(outside, url, options.branch);
        await this.#fetchFrom(outside, url, `refs/heads/${options.branch}`, LOOK_BACK);
        const { stdout } = await this.#runs.inside(run)(['rev-list', FETCHED]);
        return stdout.split('\n').includes(commit);
      })
      .catch((error: GitFailed) => {
        if (error.reason === 'no_branch') return false;
        throw error;
      });
  }

  async #read(run: Run, { branch: wanted, folders = [] }: GitLookOptions): Promise<GitLook> {
    const ask = this.#runs.inside(run);
    const head = await ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (head.exitCode !== 0) throw new GitFailed('empty', 'The repository has no commit yet.');
    const symbolic = await ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
    // A tag of that name is no branch.
    if (symbolic.exitCode !== 0 && wanted !== undefined) throw new GitFailed('no_branch', 'There is no such branch.');
    return readLook(ask, head.stdout.trim(), symbolic.stdout.trim() || 'HEAD', folders);
  }
}
