import { gunzipSync, gzipSync } from 'node:zlib';
import { GitFailed, type GitFile, type GitRules, type GitTree } from '#core/git.ts';
import type { Laying } from '#timemachine/process/protocol.ts';
import { readLayout } from './git-sync.rules.ts';

/**
 * What of a commit becomes files of a site. Git has the paths that the repository holds, or held at the last sync, in these folders; all
 * else of a site, uploads and plugins that the repository does not know among it, is never touched.
 */
export const FOLDERS = ['plugins', 'themes', 'mu-plugins', 'languages'];
export const LIMITS = {
  files: 50_000,
  bytes: 512 * 1024 * 1024,
  eachBytes: 50 * 1024 * 1024,
  nameBytes: 255,
  pathBytes: 1000,
};
const MB = 1024 * 1024;
/** More than the names of all files that a sync may bring. */
const MOST_UNPACKED = 256 * MB;

/** What a sync brought, by path: files with their name in Git and in the time machine, links with their target. */
export interface BroughtFiles {
  files: Record<string, [oid: string, ref: string]>;
  links: Record<string, string>;
  /** Where in the repository they are, and what it says of files in general; a sync of long ago did not write it down. */
  repository?: { prefix: string; rules: GitRules };
}

export const packFiles = (files: BroughtFiles): Buffer => gzipSync(JSON.stringify(files));

export function unpackFiles(packed: Buffer | null): BroughtFiles {
  return packed === null
    ? { files: {}, links: {} }
    : JSON.parse(gunzipSync(packed, { maxOutputLength: MOST_UNPACKED }).toString());
}

export interface CommitFiles {
  laying: Laying;
  /** For reading the contents that are asked for. */
  byOid: Map<string, GitFile>;
  /** Stand-ins of Git LFS, which are not deployed. */
  pointers: string[];
  repository: { prefix: string; rules: GitRules };
}

/** Reads a commit for a site that has what `before` brought; GitFailed where it can not become files of one. */
export async function readCommitFiles(tree: GitTree, before: BroughtFiles): Promise<CommitFiles> {
  const { prefix, all } = await filesIn(tree);
  check(all);
  const links = await readLinks(tree, all);
  const known = new Map(Object.values(before.files));
  const regular = all.filter(({ kind }) => kind !== 'link');
  const pointers = await findPointers(tree, regular, known);
  const files = regular.filter(({ path }) => !pointers.has(path));
  const there = new Set([...all].map(({ path }) => path));
  const had = [...Object.keys(before.files), ...Object.keys(before.links)];
  return {
    laying: {
      files: files.map(({ path, kind, oid, sizeBytes }) => ({
        path,
        isExecutable: kind === 'program',
        name: oid,
        ref: known.get(oid) ?? null,
        sizeBytes,
      })),
      links,
      gone: had.filter((path) => !there.has(path)),
      before: {
        ...Object.fromEntries(Object.entries(before.files).map(([path, [, ref]]) => [path, ref])),
        ...before.links,
      },
    },
    byOid: new Map(files.map((file) => [file.oid, file])),
    pointers: [...pointers],
    // Too many of them are no reason not to deploy.
    repository: { prefix, rules: await tree.rules().catch(() => ({})) },
  };
}

/** What a commit has in the folders that are Git's, by the paths that it has or would have in a site. */
export async function filesIn(tree: GitTree): Promise<{ prefix: string; all: GitFile[] }> {
  const { root, faults } = readLayout(tree);
  if (faults.length > 0) throw unusable(faults.map(({ msg }) => msg.replace('Value error, ', '')).join('; '));
  const prefix = root === '.' ? '' : `${root}/`;
  const all = await tree.files(FOLDERS.map((folder) => `${prefix}${folder}`));
  return { prefix, all: all.map((file) => ({ ...file, path: file.path.slice(prefix.length) })) };
}

/** What the sync brought, once it is known under which names its contents are stored. */
export function broughtBy(
  { laying, repository }: Pick<CommitFiles, 'laying' | 'repository'>,
  refs: Record<string, string>,
): BroughtFiles {
  return {
    repository,
    files: Object.fromEntries(laying.files.map(({ path, name, ref }) => [path, [name, refs[name] ?? ref ?? '']])),
    links: Object.fromEntries(laying.links.map(({ path, target }) => [path, target])),
  };
}

const unusable = (message: string) => new GitFailed('unusable', message);

function check(files: readonly GitFile[]): void {
  let bytes = 0;
  for (const { path, kind, sizeBytes } of files) {
    bytes += sizeBytes;
    if (kind === 'submodule')
      throw unusable(`${path} is a submodule, which is not followed: put its files into the repository.`);
    if (kind === 'link' && sizeBytes > LIMITS.pathBytes)
      throw unusable(`${path} is a link that leads out of the repository.`);
    if (sizeBytes > LIMITS.eachBytes) throw unusable(`${path} is larger than ${LIMITS.eachBytes / MB} MB.`);
    const names = path.split('/');
    if (names.some((name) => name === '' || name === '.' || name === '..' || name.toLowerCase() === '.git'))
      throw unusable(`${path} is no path for a file of a site.`);
    if (Buffer.byteLength(path) > LIMITS.pathBytes || names.some((name) => Buffer.byteLength(name) > LIMITS.nameBytes))
      throw unusable(`The name of ${path.slice(0, 200)}… is too long.`);
  }
  if (files.length > LIMITS.files) throw unusable(`It has more than ${LIMITS.files} files.`);
  if (bytes > LIMITS.bytes) throw unusable(`Its files take more than ${LIMITS.bytes / MB} MB.`);
}

async function readLinks(tree: GitTree, all: readonly GitFile[]): Promise<{ path: string; target: string }[]> {
  const links = all.filter(({ kind }) => kind === 'link');
  const targets = await tree.read(links);
  return links.map(({ path }, at) => {
    const target = targets[at]?.toString() ?? '';
    if (!staysInside(path, target)) throw unusable(`${path} is a link that leads out of the repository.`);
    return { path, target };
  });
}

/**
 * Upwards only at its beginning, and not beyond the top: the folders that a link lies in are real ones, those on its way may be links
 * themselves, from which `..` would lead elsewhere.
 */
function staysInside(path: string, target: string): boolean {
  const steps = target.split('/');
  const down = steps.findIndex((step) => step !== '..');
  const ups = down < 0 ? steps.length : down;
  if (target.length > LIMITS.pathBytes || target.includes('\0')) return false;
  if (steps.slice(ups).some((step) => step === '' || step === '.' || step === '..')) return false;
  return ups < path.split('/').length;
}

const POINTER = 'version https://git-lfs.github.com/spec/v1\n';
const MAX_POINTER_BYTES = 1024;

/** What was deployed before was none. */
async function findPointers(
  tree: GitTree,
  files: readonly GitFile[],
  known: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const small = files.filter(
    ({ oid, sizeBytes }) => sizeBytes >= POINTER.length && sizeBytes < MAX_POINTER_BYTES && !known.has(oid),
  );
  const contents = await tree.read(small);
  return new Set(
    small.filter((_, at) => contents[at]?.subarray(0, POINTER.length).toString() === POINTER).map(({ path }) => path),
  );
}
