import type { Readable } from 'node:stream';

/** The port through which the service reads repositories of others and adds to them; src/integrations/git has the driver. */
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
  /** All below these folders, without what the repository leaves out of its exports (`export-ignore`). */
  files(folders: readonly string[]): Promise<GitFile[]>;
  /** Contents, in this order. */
  read(files: readonly Pick<GitFile, 'oid' | 'sizeBytes'>[]): Promise<Buffer[]>;
  /** Every `.gitignore` and `.gitattributes` of it, by path. */
  rules(): Promise<GitRules>;
}

export type GitRules = Record<string, string>;

/** What the rules of a repository say of paths in it. */
export interface GitVerdicts {
  ignored: Set<string>;
  /** Left out of its exports. */
  unexported: Set<string>;
  /** Kept in another form than they have as files, such as by LFS, with the name of what does that. */
  filtered: Map<string, string>;
}

/** A file of a new commit, by the name that `store` gave its content; null removes it. */
export interface GitChange {
  path: string;
  content: { oid: string; isExecutable: boolean } | null;
}

export interface GitAuthorship {
  name: string;
  email: string;
  message: string;
  atMs: number;
}

/** The newest commit of a branch, for a new one on top of it. */
export interface GitBranch extends GitTree {
  /** Keeps contents in the order that they come in, and tells their names. */
  store(contents: readonly (() => Promise<Readable>)[]): Promise<string[]>;
  /** Makes the commit, here alone. The same again is the same one. Undefined where it would change nothing. */
  make(changes: readonly GitChange[], by: GitAuthorship): Promise<string | undefined>;
  /** Brings the commit to the branch, never by force: `moved` where the branch has gone on meanwhile. */
  push(commit: string): Promise<void>;
  /** Whether the branch has this commit among its newest. */
  has(commit: string): Promise<boolean>;
}

export interface GitBranchOptions extends GitFetchOptions {
  branch: string;
  /** The commit that the branch begins with where there is no such branch. */
  base: string;
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
  /** The newest commit of a branch that may be new, to be gone on from for as long as `use` runs. */
  withBranch<T>(url: GitUrl, options: GitBranchOptions, use: (branch: GitBranch) => Promise<T>): Promise<T>;
  /** Asks the rules of a repository; opens no connection. */
  judge(rules: GitRules, paths: readonly string[]): Promise<GitVerdicts>;
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
  /** Beginning of the README at the top of the repository, where it is text. */
  readme: string | null;
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
  /** A commit that was built on is not there any more. */
  | 'no_commit'
  /** The branch has gone on, the account may not push, or the host takes this push from nobody. */
  | 'moved'
  | 'not_allowed'
  | 'rejected'
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
