import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a merge of three states must be, said once more in the plainest way, over all of each state at once. */

export type Decider = (conflict: string) => 'ours' | 'theirs';

export type Tree =
  | { kind: 'folder'; mode: number; entries: Record<string, Tree> }
  | { kind: 'file'; mode: number; content: string; time: number }
  | { kind: 'link'; target: string };

export function readTreeOf(path: string): Tree {
  const stat = lstatSync(path);
  const mode = stat.mode & 0o777;
  if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };
  if (stat.isFile())
    return { kind: 'file', mode, content: hash('sha256', readFileSync(path)), time: Math.round(stat.mtimeMs * 1000) };
  const names = readdirSync(path).sort();
  return {
    kind: 'folder',
    mode,
    entries: Object.fromEntries(names.map((name) => [name, readTreeOf(join(path, name))])),
  };
}

const text = (value: unknown) => JSON.stringify(value) ?? 'nothing';
const content = (tree: Tree | undefined) => text(tree?.kind === 'file' ? { ...tree, time: 0 } : tree);

export function mergeTrees(
  path: string,
  base: Tree | undefined,
  ours: Tree | undefined,
  theirs: Tree | undefined,
  decide: Decider,
): Tree | undefined {
  if (text(base) === text(ours)) return theirs;
  if (ours?.kind === 'folder' && theirs?.kind === 'folder') {
    const folder = base?.kind === 'folder' ? base : undefined;
    const mode = pick<number>(`file ${path}`, folder?.mode, ours.mode, theirs.mode, decide);
    const names = new Set([...Object.keys(ours.entries), ...Object.keys(theirs.entries)]);
    const entries: Record<string, Tree> = {};
    for (const name of [...names].sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const merged = mergeTrees(below, folder?.entries[name], ours.entries[name], theirs.entries[name], decide);
      if (merged) entries[name] = merged;
    }
    return { kind: 'folder', mode, entries };
  }
  // Of a folder that one side has removed stays, or comes, what the other one has changed in it.
  const rest = ours?.kind === 'folder' && !theirs ? ours : theirs?.kind === 'folder' && !ours ? theirs : undefined;
  if (base?.kind === 'folder' && rest) {
    const entries: Record<string, Tree> = {};
    for (const name of Object.keys(rest.entries)) {
      const [own, other] = rest === ours ? [rest.entries[name], undefined] : [undefined, rest.entries[name]];
      const merged = mergeTrees(path === '' ? name : `${path}/${name}`, base.entries[name], own, other, decide);
      if (merged) entries[name] = merged;
    }
    return Object.keys(entries).length > 0 ? { ...rest, entries } : undefined;
  }
  const [was, own, other] = [content(base), content(ours), content(theirs)];
  const chosen = pick(`file ${path}`, was, own, other, decide);
  return chosen === own ? ours : theirs;
}

function pick<T>(name: string, base: T | undefined, ours: T, theirs: T, decide: Decider): T {
  if (ours === theirs || base === theirs) return ours;
  if (base === ours) return theirs;
  return decide(name) === 'ours' ? ours : theirs;
}
