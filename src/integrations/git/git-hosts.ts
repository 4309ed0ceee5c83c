import {
  type GitHostAccount,
  GitHostFailed,
  type GitHostRepository,
  type GitHosts,
  type TokenProvider,
} from '#core/git-hosts.ts';
import { type Outbound, OutboundFailed, OutboundRefused } from '#core/outbound.ts';

/** What the three hosts say in their own words: where their API is, who one is, what one has. */
interface Dialect {
  api(baseUrl: string): string;
  authorization(token: string): Record<string, string>;
  login(user: Json): unknown;
  repositories: string;
  pageSize: [name: string, size: number];
  gitUrl(repository: Json): unknown;
  branches(repository: Json): string;
}
type Json = Record<string, unknown>;

const DIALECTS: Record<TokenProvider, Dialect> = {
  github: {
    api: (base) => (base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`),
    authorization: (token) => ({ authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' }),
    login: ({ login }) => login,
    repositories: '/user/repos?sort=pushed',
    pageSize: ['per_page', 100],
    gitUrl: ({ clone_url }) => clone_url,
    branches: ({ full_name }) => `/repos/${eachEncoded(full_name)}/branches?per_page=100`,
  },
  gitlab: {
    api: (base) => `${base}/api/v4`,
    authorization: (token) => ({ 'private-token': token }),
    login: ({ username }) => username,
    repositories: '/projects?membership=true&order_by=last_activity_at',
    pageSize: ['per_page', 100],
    gitUrl: ({ http_url_to_repo }) => http_url_to_repo,
    branches: ({ id }) => `/projects/${encodeURIComponent(String(id))}/repository/branches?per_page=100`,
  },
  gitea: {
    api: (base) => `${base}/api/v1`,
    authorization: (token) => ({ authorization: `token ${token}` }),
    login: ({ login }) => login,
    repositories: '/user/repos?sort=updated',
    pageSize: ['limit', 50],
    gitUrl: ({ clone_url }) => clone_url,
    branches: ({ full_name }) => `/repos/${eachEncoded(full_name)}/branches?limit=50`,
  },
};

/** Whatever a host says; what is no object has no members. */
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

const LOGIN = /^[^\p{Cc}]{1,255}$/u;

const eachEncoded = (name: unknown) => String(name).split('/').map(encodeURIComponent).join('/');

const MAX_REPOSITORIES = 200;
const AT_ONCE = 8;
const REQUEST = { timeoutMs: 8000, maxBytes: 4 * 1024 * 1024 };
/** After that, repositories come without the rest of their branches. */
const LIST_MS = 15_000;

export class GitHostClient implements GitHosts {
  readonly #outbound: Outbound;

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
  }

  async whoIs(account: GitHostAccount): Promise<string> {
    const { body } = await this.#get(account, '/user');
    const login = DIALECTS[account.provider].login(objectOf(body));
    if (typeof login !== 'string' || !LOGIN.test(login)) throw unreadable(account);
    return login;
  }

  async repositories(account: GitHostAccount): Promise<GitHostRepository[]> {
    const dialect = DIALECTS[account.provider];
    const deadline = performance.now() + LIST_MS;
    const found: Json[] = [];
    const [sizeName, size] = dialect.pageSize;
    for (let page = 1; found.length < MAX_REPOSITORIES; page++) {
      const { body, hasNext } = await this.#get(account, `${dialect.repositories}&${sizeName}=${size}&page=${page}`);
      if (!Array.isArray(body)) throw unreadable(account);
      found.push(...body.slice(0, size).map(objectOf));
      if (!hasNext || body.length === 0 || performance.now() > deadline) break;
    }
    return inParallel(found.slice(0, MAX_REPOSITORIES), (each) => this.#complete(account, each, deadline));
  }

  async #complete(account: GitHostAccount, repository: Json, deadline: number): Promise<GitHostRepository> {
    const dialect = DIALECTS[account.provider];
    const defaultBranch = typeof repository.default_branch === 'string' ? repository.default_branch : null;
    const fallback = defaultBranch === null ? [] : [defaultBranch];
    const branches =
      performance.now() > deadline ? fallback : await this.#branches(account, dialect.branches(repository), fallback);
    return { gitUrl: String(dialect.gitUrl(repository)), defaultBranch, branches };
  }

  /** One repository that can not be read is no reason to show none. */
  async #branches(account: GitHostAccount, path: string, fallback: string[]): Promise<string[]> {
    const answer = await this.#get(account, path).catch((error: unknown) => {
      if (!(error instanceof GitHostFailed)) throw error;
      return undefined;
    });
    if (!Array.isArray(answer?.body)) return fallback;
    return answer.body.map((each) => objectOf(each).name).filter((name) => typeof name === 'string');
  }

  async #get(account: GitHostAccount, path: string): Promise<{ body: unknown; hasNext: boolean }> {
    const { api, authorization } = DIALECTS[account.provider];
    const headers = { accept: 'application/json', 'user-agent': 'Siteyard', ...authorization(account.token) };
    const url = `${api(account.baseUrl)}${path}`;
    const answer = await this.#outbound.fetch(url, { ...REQUEST, headers }).catch((error: Error) => {
      throw explain(account, error);
    });
    // GitHub says 403 for both.
    if (answer.status === 429 || (answer.status === 403 && answer.headers['x-ratelimit-remaining'] === '0'))
      throw new GitHostFailed('failed', `${hostOf(account)} takes no more requests of this account for now.`);
    if (answer.status === 401 || answer.status === 403)
      throw new GitHostFailed('bad_token', `${hostOf(account)} refuses the token.`);
    if (answer.status !== 200) throw unreadable(account);
    try {
      return { body: JSON.parse(answer.body.toString()), hasNext: /rel="?next"?/.test(String(answer.headers.link)) };
    } catch {
      throw unreadable(account);
    }
  }
}

const hostOf = ({ baseUrl }: GitHostAccount) => new URL(baseUrl).host;
const unreadable = (account: GitHostAccount) =>
  new GitHostFailed('failed', `${hostOf(account)} does not answer as a ${account.provider} host does.`);

function explain(account: GitHostAccount, error: Error): GitHostFailed {
  if (error instanceof OutboundRefused) return new GitHostFailed('refused', error.message);
  if (error instanceof OutboundFailed && error.reason === 'timeout')
    return new GitHostFailed('timeout', `${hostOf(account)} did not answer in time.`);
  return new GitHostFailed('failed', `${hostOf(account)} could not be reached.`);
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
