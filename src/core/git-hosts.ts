/** The port to what Git hosts tell of an account; src/integrations/git has the driver. */
export const TOKEN_PROVIDERS = ['github', 'gitlab', 'gitea'] as const;
export type TokenProvider = (typeof TOKEN_PROVIDERS)[number];

export interface GitHostAccount {
  provider: TokenProvider;
  /** The host's own address, without a slash at the end. */
  baseUrl: string;
  token: string;
}

export interface GitHostRepository {
  gitUrl: string;
  defaultBranch: string | null;
  branches: string[];
}

export interface GitHosts {
  /** The login that a token belongs to. */
  whoIs(account: GitHostAccount): Promise<string>;
  /** The account's repositories, newest work first, as many and as much of each as the limits allow. */
  repositories(account: GitHostAccount): Promise<GitHostRepository[]>;
}

export class GitHostFailed extends Error {
  readonly reason: 'bad_token' | 'refused' | 'timeout' | 'failed';
  constructor(reason: GitHostFailed['reason'], message: string) {
    super(message);
    this.name = 'GitHostFailed';
    this.reason = reason;
  }
}
