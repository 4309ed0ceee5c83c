import type { Fault } from '#core/errors.ts';
import type { GitEntry, GitLook } from '#core/git.ts';

/** What a repository must hold to become the content of a site, and what it must not. */
const CONTENT = ['plugins', 'themes', 'mu-plugins'];
const CORE_FOLDERS = ['wp-admin', 'wp-includes'];
const CORE_FILES =
  `wp-activate.php wp-blog-header.php wp-comments-post.php wp-config-sample.php wp-cron.php wp-links-opml.php wp-load.php
  wp-login.php wp-mail.php wp-settings.php wp-signup.php wp-trackback.php xmlrpc.php`.split(/\s+/);
export const CONTENT_FOLDER = 'wp-content';

export interface Layout {
  root: '.' | typeof CONTENT_FOLDER;
  directories: string[];
  faults: Fault[];
}

export function readLayout({ root, folders }: Pick<GitLook, 'root' | 'folders'>): Layout {
  const faults: Fault[] = [];
  const fault = (msg: string) => faults.push(urlFault(msg));
  const inside = folders.get(CONTENT_FOLDER) ?? [];
  const [atTop, below] = [foldersIn(root), foldersIn(inside)];
  if (atTop.length > 0 && below.length > 0)
    fault(`it has ${atTop.join(', ')} both at the top and in wp-content/; keep them in one place`);
  if (atTop.length === 0 && below.length === 0)
    fault('it has no plugins/, themes/ or mu-plugins/ at the top or in one wp-content/');
  for (const [entries, where] of [[root, ''] as const, [inside, 'wp-content/'] as const]) {
    for (const { name, type } of entries) {
      const lower = name.toLowerCase();
      if (lower === 'wp-config.php') fault(`it has ${where}${name}, which holds secrets and belongs to the platform`);
      else if (CORE_FILES.includes(lower) || (CORE_FOLDERS.includes(lower) && type === 'tree'))
        fault(`it has ${where}${name}${type === 'tree' ? '/' : ''}, which is WordPress itself`);
    }
  }
  const isBelow = atTop.length === 0;
  return { root: isBelow ? CONTENT_FOLDER : '.', directories: isBelow ? below : atTop, faults };
}

/** A submodule or a link of that name holds nothing. */
const foldersIn = (entries: readonly GitEntry[]) =>
  CONTENT.filter((name) => entries.some((entry) => entry.name === name && entry.type === 'tree'));

export const urlFault = (msg: string): Fault => ({
  loc: ['query', 'git_url'],
  msg: `Value error, ${msg}`,
  type: 'value_error',
});

export const bodyUrlFault = (msg: string): Fault => ({ ...urlFault(msg), loc: ['body', 'git_url'] });

export const branchFault = (msg: string): Fault => ({ ...urlFault(msg), loc: ['query', 'git_branch'] });

/** As git check-ref-format has it; what it would refuse never gets that far. */
export function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in it
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\/\.|^@$/.test(name)) return false;
  return name.split('/').every((part) => !part.endsWith('.lock'));
}
