import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type GitCredential, GitFailed, type GitLookOptions, type GitUrl } from '#core/git.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';
import { addConfig, basicHeader, gitEnvironment } from './git-environment.ts';
import { explainFailure } from './git-failure.ts';
import { type GitAnswer, type GitLimits, runGit } from './git-process.ts';
import { type GitProxy, startGitProxy } from './git-proxy.ts';
import type { Ask } from './git-tree.ts';
import { sshCommand } from './ssh-command.ts';
import { Turns } from './turns.ts';

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
export interface Run {
  folder: string;
  deadline: number;
  limits: GitLimits;
  env: Record<string, string>;
}

export interface OutsideRun extends Run {
  proxy: GitProxy | undefined;
}

/**
 * How git is run: it gets nothing of our own environment, one protocol, one way out that is guarded (a proxy for https, a checked address
 * for ssh, a list of folders for files), and an end: in time, on disk and in memory.
 */
export class GitRuns {
  readonly #options: GitOptions;
  readonly #turns = new Turns(AT_ONCE);

  constructor(options: GitOptions) {
    this.#options = options;
  }

  /** In a folder of its own, when it is one's turn. */
  async begin<T>(
    url: GitUrl,
    { who = '' }: GitLookOptions,
    limits: GitLimits,
    act: (run: Run, giveTurn: () => void) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + limits.timeoutMs;
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

  /** A run that has no way out and nobody waits for. */
  async here<T>(limits: GitLimits, act: (ask: Ask, folder: string) => Promise<T>): Promise<T> {
    const folder = join(this.#options.folder, 'looks', randomUUID());
    const work = join(folder, 'work');
    try {
      await mkdir(join(folder, 'home'), { recursive: true, mode: 0o700 });
      await mkdir(work);
      const env = { ...(await gitEnvironment({ kind: 'file', path: work }, folder)), GIT_ALLOW_PROTOCOL: 'none' };
      const ask: Ask = (args, input) =>
        this.git({ folder: work, deadline: performance.now() + limits.timeoutMs, limits, env }, args, input);
      return await act(ask, work);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The one part of a run that may leave the machine, by one way. */
  async outside<T>(
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

  async ask(run: OutsideRun, args: string[]): Promise<GitAnswer> {
    const answer = await this.git(run, args);
    if (run.proxy?.isFull()) throw new GitFailed('too_large', 'The repository is larger than what is looked at.');
    if (answer.exitCode !== 0) throw explainFailure(answer.stderr, run.proxy?.failure());
    return answer;
  }

  /** What was fetched is read without any way out: a server that left something out is not asked for it again. */
  inside(run: Run): Ask {
    const env = { ...run.env, GIT_ALLOW_PROTOCOL: 'none' };
    return (args, input) => {
      const deadline = performance.now() + run.limits.timeoutMs;
      return this.git({ ...run, deadline, env }, ['--git-dir=repository', ...args], input);
    };
  }

  git(run: Run, args: string[], input?: string): Promise<GitAnswer> {
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
