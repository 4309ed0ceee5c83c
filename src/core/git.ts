/** The port through which the service reads repositories of others; src/integrations/git has the driver. */
export interface GitUrl {
  kind: 'https' | 'ssh' | 'file';
  /** As git takes it. */
  text: string;
  /** In one spelling, without brackets; empty for a file. */
  host: string;
  port: number;
  path: string;
}

/** What opens a repository. Neither is ever seen in the arguments of a process. */
export type GitCredential = { username: string; token: string } | { privateKey: string };

export interface GitEntry {
  name: string;
  type: 'blob' | 'tree' | 'commit';
}

export interface GitLook {
  branch: string;
  commit: string;
  root: GitEntry[];
  /** What is in the folders that were asked for, where they are there. */
  folders: Map<string, GitEntry[]>;
}

export interface GitLookOptions {
  /** The repository's own default where none is named. */
  branch?: string | undefined;
  /** Asked for with what belongs to the very host and port of the URL. */
  credential?: GitCredential | undefined;
  folders?: readonly string[];
  /** For whom: one person's looks wait for one another. */
  who?: string;
}

/** A file of a commit, below one of the folders that were asked for. */
export interface GitFile {
  path: string;
  kind: 'file' | 'program' | 'link' | 'submodule';
  oid: string;
  /** Zero for a submodule, which is a commit of another repository. */
  sizeBytes: number;
}

/** A commit whose files can be read. */
export interface GitTree extends GitLook {
  /** The first line of what its author wrote. */
  subject: string;
  author: string;
  /** All below a folder, without what the repository leaves out of its exports (`export-ignore`). */
  files(folder: string): Promise<GitFile[]>;
  /** Contents, in this order. */
  read(files: readonly Pick<GitFile, 'oid' | 'sizeBytes'>[]): Promise<Buffer[]>;
}

export interface GitFetchOptions extends GitLookOptions {
  /** Under which name what was fetched is kept, so that the next time only what changed is. It may be lost at any time. */
  cache: string;
}

export interface Git {
  /** Reads a URL that a user wrote; GitFailed with `refused` where it is none that we take. Opens no connection. */
  readUrl(text: string): GitUrl;
  /** The newest commit of a branch and the names in it, without the content of any file. */
  look(url: GitUrl, options?: GitLookOptions): Promise<GitLook>;
  /** The newest commit of a branch, and nothing else of it. */
  tip(url: GitUrl, options?: GitLookOptions): Promise<{ branch: string; commit: string }>;
  /** The newest commit of a branch with its files, for as long as `use` runs. */
  withTree<T>(url: GitUrl, options: GitFetchOptions, use: (tree: GitTree) => Promise<T>): Promise<T>;
  /** Fetches the first file of these names at the top of the newest commit; it is there for as long as the work with it takes. */
  withFile<T>(
    url: GitUrl,
    options: GitLookOptions & { names: readonly string[] },
    work: (file: FetchedFile) => Promise<T>,
  ): Promise<T>;
}

/** A file that was fetched. */
export interface FetchedFile {
  name: string;
  commit: string;
  sizeBytes: number;
  read(offset: number, length: number): Promise<Buffer>;
}

export type GitFailure =
  | 'refused'
  | 'needs_credentials'
  | 'not_found'
  | 'no_branch'
  | 'no_file'
  | 'empty'
  | 'too_large'
  /** It has something that can not become files of a site. */
  | 'unusable'
  | 'timeout'
  | 'unreachable'
  | 'host_key'
  | 'failed'
  | 'not_configured';

export class GitFailed extends Error {
  readonly reason: GitFailure;
  constructor(reason: GitFailure, message: string) {
    super(message);
    this.name = 'GitFailed';
    this.reason = reason;
  }
}
