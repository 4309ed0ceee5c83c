import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import {
  type Git,
  type GitCredential,
  type GitEntry,
  GitFailed,
  type GitFile,
  type GitLook,
  type GitLookOptions,
  type GitUrl,
} from '#core/git.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';
import { explainFailure } from './git-failure.ts';
import { type GitAnswer, type GitLimits, runGit } from './git-process.ts';
import { type GitProxy, startGitProxy } from './git-proxy.ts';
import { readGitUrl } from './git-url.ts';
import { sshCommand } from './ssh-command.ts';
import { Turns } from './turns.ts';

/**
 * Repositories of others, read with the real git. It gets nothing of our own environment, one protocol, one way out that
 * is guarded (a proxy for https, a checked address for ssh, a list of folders for files), and an end: in time, on disk and
 * in memory. Of one commit, the names of files are asked for, or one file as it is.
 */
const LIMITS: GitLimits = {
  timeoutMs: 30_000,
  maxBytes: 256 * 1024 * 1024,
  maxMemoryBytes: 512 * 1024 * 1024,
  maxOutputBytes: 4 * 1024 * 1024,
};
/** Looks side by side, in all and for one person; the others wait, and their time runs meanwhile. */
const AT_ONCE = { atOnce: 8, each: 2 };
const STALE_MS = 600_000;
const PATH = '/usr/local/bin:/usr/bin:/bin';

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
  env: Record<string, string>;
}

export class GitClient implements Git {
  readonly #options: GitOptions;
  readonly #limits: GitLimits;
  readonly #turns = new Turns(AT_ONCE);

  constructor(options: GitOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  readUrl(text: string): GitUrl {
    return readGitUrl(text, this.#options.outbound);
  }

  look(url: GitUrl, options: GitLookOptions = {}): Promise<GitLook> {
    return this.#inClone(url, options, ['--filter=blob:none'], (run) => this.#read(run, options));
  }

  async withFile<T>(
    url: GitUrl,
    options: GitLookOptions & { names: readonly string[] },
    work: (file: GitFile) => Promise<T>,
  ): Promise<T> {
    const place = join(this.#options.folder, 'looks', `${randomUUID()}.file`);
    try {
      const found = await this.#inClone(url, options, [], (run) => this.#takeFile(run, options, place));
      return await withReader(place, (reader) => work({ ...found, ...reader }));
    } finally {
      await rm(place, { force: true });
    }
  }

  async #inClone<T>(url: GitUrl, options: GitLookOptions, filter: string[], act: (run: Run) => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.#limits.timeoutMs;
    const done = await this.#turns.take(options.who ?? '', deadline);
    const folder = join(this.#options.folder, 'looks', randomUUID());
    try {
      await this.#sweep();
      await mkdir(join(folder, 'home'), { recursive: true, mode: 0o700 });
      const run = { folder, deadline, env: await this.#environment(url, folder) };
      await this.#cloneInto(run, url, options, filter);
      return await act(run);
    } finally {
      await rm(folder, { recursive: true, force: true });
      done();
    }
  }

  async #cloneInto(run: Run, url: GitUrl, options: GitLookOptions, filter: string[]): Promise<void> {
    const { credential } = options;
    if (url.kind === 'file') await this.#requireAllowed(url);
    if (url.kind === 'ssh') run.env.GIT_SSH_COMMAND = await this.#sshCommand(run, url, credential);
    const isHttps = url.kind === 'https';
    const only = credential && `${url.host}:${url.port}`;
    const proxy = isHttps ? await this.#startProxy(only) : undefined;
    try {
      if (proxy) addConfig(run.env, 'http.proxy', proxy.url);
      if (proxy && credential && 'token' in credential) addConfig(run.env, 'http.extraHeader', basicHeader(credential));
      await this.#clone(
        run,
        url,
        [...filter, ...(options.branch === undefined ? [] : [`--branch=${options.branch}`])],
        proxy,
      );
    } finally {
      proxy?.close();
    }
  }

  /** The content as it was committed: no attribute of the repository changes anything about it. */
  async #takeFile(
    run: Run,
    options: GitLookOptions & { names: readonly string[] },
    place: string,
  ): Promise<Pick<GitFile, 'name' | 'commit'>> {
    const { root, commit } = await this.#read(run, options);
    const name = options.names.find((wanted) => root.some((entry) => entry.name === wanted && entry.type === 'blob'));
    if (name === undefined)
      throw new GitFailed('no_file', `The repository has none of ${options.names.join(', ')} at its top.`);
    const env = { ...run.env, GIT_ALLOW_PROTOCOL: 'none' };
    const { exitCode, stdout } = await this.#git({ ...run, env }, [
      '--git-dir=repository',
      'unpack-file',
      `HEAD:${name}`,
    ]);
    if (exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
    await rename(join(run.folder, basename(stdout.trim())), place);
    return { name, commit };
  }

  #startProxy(only: string | undefined): Promise<GitProxy> {
    return startGitProxy(this.#options.outbound, { only, maxBytes: this.#limits.maxBytes });
  }

  async #clone(run: Run, url: GitUrl, more: string[], proxy: GitProxy | undefined): Promise<void> {
    const shallow = ['--depth=1', '--single-branch', '--no-tags', ...more];
    const quiet = ['--quiet', '--bare', '--template=', '--no-recurse-submodules'];
    const answer = await this.#git(run, ['clone', ...quiet, ...shallow, '--', url.text, 'repository']);
    if (proxy?.isFull()) throw new GitFailed('too_large', 'The repository is larger than what is looked at.');
    if (answer.exitCode !== 0) throw explainFailure(answer.stderr, proxy?.failure());
  }

  /** What was fetched is read without any way out: a server that left something out is not asked for it again. */
  async #read(run: Run, { branch: wanted, folders = [] }: GitLookOptions): Promise<GitLook> {
    const inside = { ...run, env: { ...run.env, GIT_ALLOW_PROTOCOL: 'none' } };
    const ask = (...args: string[]) => this.#git(inside, ['--git-dir=repository', ...args]);
    const head = await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
    if (head.exitCode !== 0) throw new GitFailed('empty', 'The repository has no commit yet.');
    const symbolic = await ask('symbolic-ref', '--quiet', '--short', 'HEAD');
    // A tag of that name is no branch.
    if (symbolic.exitCode !== 0 && wanted !== undefined) throw new GitFailed('no_branch', 'There is no such branch.');
    const root = await ask('ls-tree', '-z', 'HEAD');
    if (root.exitCode !== 0) throw new GitFailed('failed', 'The repository could not be read.');
    const inFolders = new Map<string, GitEntry[]>();
    for (const folder of folders) {
      const tree = await ask('ls-tree', '-z', `HEAD:${folder}`);
      if (tree.exitCode === 0) inFolders.set(folder, readTree(tree.stdout));
    }
    const branch = symbolic.stdout.trim() || 'HEAD';
    return { branch, commit: head.stdout.trim(), root: readTree(root.stdout), folders: inFolders };
  }

  #git(run: Run, args: string[]): Promise<GitAnswer> {
    return runGit({ ...run, program: this.#options.program ?? 'git', args, limits: this.#limits });
  }

  /** Nothing of ours is inherited. Settings that every git reads stand in a file, secrets never do. */
  async #environment(url: GitUrl, folder: string): Promise<Record<string, string>> {
    const [config, certificates] = [join(folder, 'config'), join(folder, 'certificates.pem')];
    const safe = url.kind === 'file' ? `[safe]\n\tdirectory = ${url.path}\n\tdirectory = ${url.path}/.git\n` : '';
    await writeFile(config, CONFIG + safe);
    // The same authorities that our own client trusts, those that an operator added (NODE_EXTRA_CA_CERTS) included.
    if (url.kind === 'https') await writeFile(certificates, trusted());
    return {
      PATH,
      HOME: join(folder, 'home'),
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: config,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: url.kind,
      GIT_SSL_CAINFO: certificates,
    };
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

async function withReader<T>(
  place: string,
  work: (reader: Pick<GitFile, 'sizeBytes' | 'read'>) => Promise<T>,
): Promise<T> {
  const handle = await open(place);
  try {
    const { size: sizeBytes } = await handle.stat();
    return await work({
      sizeBytes,
      async read(offset, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}

const CONFIG = `[core]
	symlinks = false
	hooksPath = /dev/null
	askPass = /bin/false
[credential]
	helper =
[http]
	proxyAuthMethod = basic
[transfer]
	bundleURI = false
[fetch]
	unpackLimit = 1
	recurseSubmodules = false
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	threads = 1
[init]
	defaultBranch = main
`;

const trusted = () => [...new Set([...rootCertificates, ...getCACertificates('default')])].join('\n');

const basicHeader = ({ username, token }: { username: string; token: string }) =>
  `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

/** Settings by way of the environment, which only the process itself and its user can see. */
function addConfig(env: Record<string, string>, key: string, value: string): void {
  const at = Number(env.GIT_CONFIG_COUNT ?? 0);
  env[`GIT_CONFIG_KEY_${at}`] = key;
  env[`GIT_CONFIG_VALUE_${at}`] = value;
  env.GIT_CONFIG_COUNT = String(at + 1);
}

function readTree(text: string): GitEntry[] {
  return text
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [, type, name] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(line) ?? [];
      return { type: type as GitEntry['type'], name: name ?? '' };
    });
}
