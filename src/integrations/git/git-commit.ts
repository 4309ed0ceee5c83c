import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GitAuthorship, type GitChange, GitFailed } from '#core/git.ts';
import { explainFailure } from './git-failure.ts';
import type { GitAnswer } from './git-process.ts';
import type { Ask } from './git-tree.ts';

/** New commits: made in the repository that was fetched, without a work tree, and told apart when a push of them fails. */
const BATCH = 200;

const notWritten = () => new GitFailed('failed', 'Git could not write the commit.');

async function done(answer: Promise<GitAnswer>): Promise<GitAnswer> {
  const { exitCode } = await answer;
  if (exitCode !== 0) throw notWritten();
  return answer;
}

/** By way of files, whose names are ours: what comes may be large. */
export async function storeContents(
  ask: Ask,
  folder: string,
  contents: readonly (() => Promise<Readable>)[],
): Promise<string[]> {
  const place = join(folder, 'contents');
  const oids: string[] = [];
  await mkdir(place, { recursive: true });
  for (let start = 0; start < contents.length; start += BATCH) {
    const part = contents.slice(start, start + BATCH);
    for (const [at, open] of part.entries()) await pipeline(await open(), createWriteStream(join(place, String(at))));
    const names = part.map((_, at) => `contents/${at}\n`).join('');
    const { stdout } = await done(ask(['hash-object', '-w', '--no-filters', '--stdin-paths'], names));
    oids.push(...stdout.split('\n').filter(Boolean));
  }
  await rm(place, { recursive: true, force: true });
  if (oids.length !== contents.length) throw notWritten();
  return oids;
}

export async function makeCommit(
  ask: Ask,
  parent: string,
  changes: readonly GitChange[],
  by: GitAuthorship,
): Promise<string | undefined> {
  await done(ask(['read-tree', parent]));
  const before = (await done(ask(['rev-parse', '--verify', `${parent}^{tree}`]))).stdout.trim();
  const nothing = '0'.repeat(before.length);
  const line = ({ path, content }: GitChange) =>
    content ? `${content.isExecutable ? '100755' : '100644'} ${content.oid}\t${path}\0` : `0 ${nothing}\t${path}\0`;
  // What is removed makes room for what comes.
  const ordered = [...changes].sort((a, b) => Number(a.content !== null) - Number(b.content !== null));
  await done(ask(['update-index', '-z', '--index-info'], ordered.map(line).join('')));
  const tree = (await done(ask(['write-tree']))).stdout.trim();
  if (tree === before) return undefined;
  const person = `${nameOf(by)} <${by.email.replaceAll(UNWANTED, '')}> ${Math.floor(by.atMs / 1000)} +0000`;
  const message = `${by.message.replaceAll('\0', '').replaceAll('\r\n', '\n').trim()}\n`;
  const text = `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\n${message}`;
  return (await done(ask(['hash-object', '-t', 'commit', '-w', '--stdin'], text))).stdout.trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in it
const UNWANTED = /[\x00-\x1f\x7f<>]/g;

/** As git has it: without what would end the name, and never empty. */
function nameOf({ name, email }: GitAuthorship): string {
  const clean = name.replaceAll(UNWANTED, '').trim();
  return clean || (email.split('@')[0] as string);
}

const MAX_SAID = 300;

/** What the host says of a branch counts (`--porcelain`), then its words. */
export function explainPush(
  { stdout, stderr }: GitAnswer,
  connection: Parameters<typeof explainFailure>[1],
): GitFailed {
  const refusal = /^!\t[^\t]*\t\[(rejected|remote rejected)\] \((.*)\)$/m.exec(stdout);
  const moved = new GitFailed('moved', 'The branch has gone on meanwhile.');
  if (refusal?.[1] === 'rejected') return moved;
  if (refusal) {
    const reason = refusal[2] ?? '';
    if (/lock|failed to update ref|already exists|incorrect old value|shallow/i.test(reason)) return moved;
    return new GitFailed('rejected', `The Git host does not take it: ${[reason, ...saidBy(stderr)].join('. ')}`);
  }
  const failed = explainFailure(stderr, connection);
  if (failed.reason !== 'needs_credentials') return failed;
  return new GitFailed('not_allowed', 'The linked account may not push to the repository.');
}

/** The lines that the host itself wrote, as text. */
function saidBy(stderr: string): string[] {
  const lines = [...stderr.matchAll(/^remote: (.*)$/gm)].map(([, said = '']) => said.replaceAll(UNWANTED, '').trim());
  const text = lines.filter(Boolean).join(' ').slice(0, MAX_SAID);
  return text === '' ? [] : [text];
}
