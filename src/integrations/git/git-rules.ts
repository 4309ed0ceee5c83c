import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitFailed, type GitRules, type GitVerdicts } from '#core/git.ts';
import type { GitAnswer } from './git-process.ts';

/**
 * What a repository says of paths: git itself reads its rules, which lie in an empty work tree for that, so that a path is judged as if
 * somebody had just added it.
 */
export const MAX_RULES = 2_000;
const MAX_RULE_BYTES = 256 * 1024;
export const MAX_RULES_BYTES = 1024 * 1024;
const ATTRIBUTES = ['filter', 'export-ignore'];

export interface RuleFile {
  path: string;
  oid: string;
  sizeBytes: number;
}

/** Of a listing by ls-tree. A link of that name is no rule for git either. */
export function ruleFilesIn(listing: string): RuleFile[] {
  return listing.split('\0').flatMap((line) => {
    const [, oid, size, path] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    if (!oid || !path || !/(?:^|\/)\.git(?:ignore|attributes)$/.test(path)) return [];
    if (Number(size) > MAX_RULE_BYTES) throw new GitFailed('unusable', `${path} is too large.`);
    return [{ path, oid, sizeBytes: Number(size) }];
  });
}

/** `ask` runs git in the folder. */
export async function judgePaths(
  ask: (args: string[], input?: string) => Promise<GitAnswer>,
  folder: string,
  rules: GitRules,
  paths: readonly string[],
): Promise<GitVerdicts> {
  const verdicts: GitVerdicts = { ignored: new Set(), unexported: new Set(), filtered: new Map() };
  if (paths.length === 0 || Object.keys(rules).length === 0) return verdicts;
  const expect = async (args: string[], input?: string, codes = [0]) => {
    const answer = await ask(args, input);
    if (!codes.includes(answer.exitCode)) throw new GitFailed('failed', 'The rules of the repository can not be read.');
    return answer.stdout.split('\0');
  };
  await expect(['init', '--quiet', '--template=', '.']);
  for (const [path, text] of Object.entries(rules)) {
    if (!staysInTree(path)) continue;
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const ignored = await expect(['check-ignore', '--no-index', '-z', '--stdin'], paths.join('\0'), [0, 1]);
  for (const path of ignored) if (path !== '') verdicts.ignored.add(path);
  // What is said of a folder goes for all in it.
  const all = [...new Set(paths.flatMap((path) => [...foldersAbove(path), path]))];
  const told = await expect(['check-attr', '-z', '--stdin', ...ATTRIBUTES], all.join('\0'));
  const unexported = new Set<string>();
  for (let at = 0; at + 2 < told.length; at += 3) {
    const [path = '', attribute, value = ''] = told.slice(at, at + 3);
    if (attribute === 'export-ignore' && value === 'set') unexported.add(path);
    if (attribute === 'filter' && value !== 'unspecified' && value !== 'unset' && !path.endsWith('/'))
      verdicts.filtered.set(path, value);
  }
  for (const path of paths)
    if ([...foldersAbove(path), path].some((each) => unexported.has(each))) verdicts.unexported.add(path);
  return verdicts;
}

export function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`);
}

/** A tree of a stranger may have any names. */
const staysInTree = (path: string) =>
  path.split('/').every((name) => !['', '.', '..'].includes(name) && name.toLowerCase() !== '.git');
