/** Other words for the pages and actions of a site, by the path of the page; what people type who know another dashboard. */
export const SITE_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  domains: ['domain', 'dns', 'ssl', 'tls', 'https', 'certificate', 'nameserver', 'www'],
  time: ['backups', 'snapshots', 'restore', 'rollback', 'undo', 'history'],
  plugins: ['php', 'wordpress', 'version', 'core', 'updates', 'upgrade', 'extensions'],
  files: ['ftp', 'sftp', 'upload', 'filemanager'],
  terminal: ['ssh', 'shell', 'console', 'command', 'wp-cli'],
  cache: ['cdn', 'purge', 'flush', 'clear', 'speed'],
  security: ['firewall', 'password', 'basic', 'block'],
  routing: ['proxy', 'paths'],
  logs: ['errors', 'debug', 'visits', 'slow'],
  staging: ['stage', 'test', 'clone'],
  git: ['deploys', 'github', 'gitlab', 'repository'],
  editor: ['vscode', 'code', 'ide'],
  settings: ['rename', 'transfer', 'move', 'delete'],
  mail: ['email', 'smtp'],
};

/** Of what can be done to a site without opening a page first. */
export const ACTION_SYNONYMS = {
  wpAdmin: ['wp-admin', 'wordpress', 'admin', 'login', 'log', 'sign'],
  purge: ['purge', 'clear', 'flush', 'cache', 'cdn'],
  restore: ['restore', 'backups', 'rollback', 'snapshots', 'undo'],
  visit: ['visit', 'browse'],
} as const;

const SITE_KEYWORDS = [
  ...Object.entries(SITE_SYNONYMS).flat(2),
  ...Object.values(ACTION_SYNONYMS).flat(),
  'open',
  'machine',
];
const FILLERS = new Set(['a', 'at', 'for', 'in', 'my', 'of', 'on', 'site', 'the', 'to', 'up']);
/** Minimum length of a typed prefix; shorter prefixes match too many keywords. */
const SHORTEST = 3;

export interface Named {
  label: string;
  hint?: string;
  keywords?: readonly string[];
}

const wordsOf = (typed: string) => typed.trim().toLowerCase().split(/\s+/).filter(Boolean);

/** Whether each word that was typed is in the label or the hint, or begins another word for it. */
export function isNamed(typed: string, { label, hint = '', keywords = [] }: Named): boolean {
  const text = `${label}\n${hint}`.toLowerCase();
  if (text.includes(typed.trim().toLowerCase())) return true;
  return wordsOf(typed)
    .filter((word) => !FILLERS.has(word))
    .every((word) => text.includes(word) || keywords.some((keyword) => keyword.startsWith(word)));
}

/**
 * Returns the part of the input that names a site: "quay" for "purge cache of quay", an empty string for "ssl".
 * Undefined if the input contains no action, so that all of it is a name.
 */
export function siteWordsIn(typed: string): string | undefined {
  const words = wordsOf(typed);
  const isAction = (word: string) =>
    word.length >= SHORTEST && SITE_KEYWORDS.some((keyword) => keyword.startsWith(word));
  if (!words.some(isAction)) return undefined;
  return words.filter((word) => !isAction(word) && !FILLERS.has(word)).join(' ');
}
