import { type GitEntry, GitFailed, type GitFile, type GitLook, type GitRules, type GitTree } from '#core/git.ts';
import type { GitAnswer } from './git-process.ts';
import { foldersAbove, MAX_RULES, MAX_RULES_BYTES, type RuleFile, ruleFilesIn } from './git-rules.ts';

/** Asks git about what was fetched, without any way out. */
export type Ask = (args: string[], input?: string) => Promise<GitAnswer>;

const READ_BYTES = 16 * 1024 * 1024;
const KINDS: Record<string, GitFile['kind']> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'program',
  '120000': 'link',
  '160000': 'submodule',
};

/** What is in a commit, without the content of any file. */
export async function readLook(ask: Ask, commit: string, branch: string, folders: readonly string[]): Promise<GitLook> {
  const root = await ask(['ls-tree', '-z', commit]);
  if (root.exitCode !== 0) throw unreadable();
  const inFolders = new Map<string, GitEntry[]>();
  for (const folder of folders) {
    const tree = await ask(['ls-tree', '-z', `${commit}:${folder}`]);
    if (tree.exitCode === 0) inFolders.set(folder, readEntries(tree.stdout));
  }
  return { branch, commit, root: readEntries(root.stdout), folders: inFolders };
}

/** The same with its files. */
export async function readCommit(
  ask: Ask,
  commit: string,
  branch: string,
  folders: readonly string[],
): Promise<GitTree> {
  const look = await readLook(ask, commit, branch, folders);
  const said = await ask(['log', '-1', '--format=%an%x00%s', commit]);
  const [author = '', subject = ''] = said.stdout.trim().split('\0');
  return {
    ...look,
    author: author.slice(0, 200),
    subject: subject.slice(0, 200),
    files: (below) => filesOf(ask, commit, below),
    read: (files) => readBlobs(ask, files),
    rules: () => readRules(ask, commit),
  };
}

const unreadable = () => new GitFailed('failed', 'The repository could not be read.');

async function filesOf(ask: Ask, commit: string, folders: readonly string[]): Promise<GitFile[]> {
  // With `-t` folders too: the repository may leave a whole one out.
  const tree = await ask(['ls-tree', '-r', '-t', '-l', '-z', commit, '--', ...folders.map((folder) => `${folder}/`)]);
  if (tree.exitCode !== 0) throw unreadable();
  const lines = readText(tree.output).split('\0').filter(Boolean);
  const files: GitFile[] = [];
  // The folders that they lie in are not listed, and may be left out as well.
  const all = folders.flatMap((folder) => foldersAbove(`${folder}/x`));
  for (const line of lines) {
    const [, mode = '', type, oid = '', size, path = ''] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    all.push(type === 'tree' ? `${path}/` : path);
    if (type === 'tree') continue;
    const kind = KINDS[mode];
    if (!kind) throw new GitFailed('unusable', `${path} is neither a file nor a link.`);
    files.push({ path, kind, oid, sizeBytes: Number(size) || 0 });
  }
  const left = await leftOut(ask, commit, all);
  return files.filter(({ path }) => !left.has(path) && !foldersAbove(path).some((each) => left.has(each)));
}

async function readRules(ask: Ask, commit: string): Promise<GitRules> {
  const tree = await ask(['ls-tree', '-r', '-l', '-z', commit]);
  if (tree.exitCode !== 0) throw unreadable();
  const files: RuleFile[] = ruleFilesIn(tree.stdout);
  if (files.length > MAX_RULES) throw new GitFailed('unusable', `It has more than ${MAX_RULES} files of rules.`);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAX_RULES_BYTES) throw new GitFailed('unusable', 'Its files of rules are too large.');
  const texts = await readBlobs(ask, files);
  return Object.fromEntries(files.map(({ path }, at) => [path, texts[at]?.toString() ?? '']));
}

/** Names become paths of the site, and those are text. */
function readText(output: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(output);
  } catch {
    const bad = splitAtZero(output).find((line) => !Buffer.from(line.toString()).equals(line));
    const path = bad?.subarray(bad.indexOf(0x09) + 1).toString() ?? '';
    throw new GitFailed('unusable', `The name of ${path} is not UTF-8.`);
  }
}

function splitAtZero(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    parts.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return parts;
}

/** What `.gitattributes` of the commit itself marks as `export-ignore`, by way of an index of its own. */
async function leftOut(ask: Ask, commit: string, paths: readonly string[]): Promise<Set<string>> {
  if ((await ask(['read-tree', commit])).exitCode !== 0) throw unreadable();
  const checked = await ask(['check-attr', '--cached', '-z', '--stdin', 'export-ignore'], paths.join('\0'));
  if (checked.exitCode !== 0) throw unreadable();
  const told = checked.stdout.split('\0');
  const found = new Set<string>();
  for (let at = 0; at + 2 < told.length; at += 3) if (told[at + 2] === 'set') found.add(told[at] as string);
  return found;
}

async function readBlobs(ask: Ask, files: readonly Pick<GitFile, 'oid' | 'sizeBytes'>[]): Promise<Buffer[]> {
  const contents: Buffer[] = [];
  for (let start = 0; start < files.length; ) {
    let end = start;
    for (let bytes = 0; end < files.length && (end === start || bytes < READ_BYTES); end++)
      bytes += files[end]?.sizeBytes ?? 0;
    const part = files.slice(start, end);
    const { output } = await ask(['cat-file', '--batch'], part.map(({ oid }) => `${oid}\n`).join(''));
    let at = 0;
    for (const { sizeBytes } of part) {
      const line = output.indexOf(0x0a, at);
      if (!/ blob (\d+)$/.test(output.subarray(at, line).toString())) throw unreadable();
      contents.push(output.subarray(line + 1, line + 1 + sizeBytes));
      at = line + 2 + sizeBytes;
    }
    start = end;
  }
  return contents;
}

function readEntries(text: string): GitEntry[] {
  return text
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [, type, name] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(line) ?? [];
      return { type: type as GitEntry['type'], name: name ?? '' };
    });
}
