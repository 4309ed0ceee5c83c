// SPDX-License-Identifier: GPL-2.0-or-later
import { lstatSync, readdirSync } from 'node:fs';
import type { FileNode } from '@php-wasm/universal';

/** As deep as the files of a site can be reached from outside (host/content). */
const MAX_FOLDERS = 100;
const MAX_PATH_BYTES = 2_048;
/** A folder with more names in it is not moved further down: to look at all of them takes too long. */
const MAX_LOOKS = 50_000;
/** As WASI has it. */
const ENAMETOOLONG = 37;

/** What Emscripten takes for an answer of the file system. */
export function refusal(errno: number): Error {
  return Object.assign(new Error('refused'), { name: 'ErrnoError', errno });
}

export function requireDepth(folder: string, { mount }: FileNode, name: string): void {
  const path = `${folder}/${name}`.slice((mount.opts.root ?? '').length + 1);
  if (path.length < MAX_FOLDERS) return;
  if (!isReachable(path)) throw refusal(ENAMETOOLONG);
}

/** A folder takes all that it holds along, and that must not become too deep either. */
export function requireFlat(from: string, to: string, { mount }: FileNode): void {
  const isDeeper = to.split('/').length > from.split('/').length || Buffer.byteLength(to) > Buffer.byteLength(from);
  if (!isDeeper || !lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return;
  const start = to.slice((mount.opts.root ?? '').length + 1);
  const folders = [''];
  let looks = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(from + folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (++looks > MAX_LOOKS || !isReachable(start + path)) throw refusal(ENAMETOOLONG);
      if (entry.isDirectory()) folders.push(path);
    }
  }
}

function isReachable(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES && path.split('/').length <= MAX_FOLDERS;
}
