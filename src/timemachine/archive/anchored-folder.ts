import { closeSync, constants, openSync, readlinkSync } from 'node:fs';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/**
 * A folder held open, so that what is done below `path` happens in this very folder. A site's own PHP may replace a
 * folder by a link to somewhere else between our look and our step; through an anchor that leads nowhere. Linux only.
 */
export interface AnchoredFolder {
  /** Names in it are `<path>/<name>`. */
  path: string;
  close(): void;
}

/** Opens `<root>/<relative>` without following any link. Root is a real path. Fails with ENOENT or ENOTDIR. */
export function anchorFolder(root: string, relative: string): AnchoredFolder {
  const expected = relative === '' ? root : `${root}/${relative}`;
  const descriptor = openSync(expected, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const path = `/proc/self/fd/${descriptor}`;
  // The kernel says where the folder really is; a link in the middle of the path shows here.
  if (readlinkSync(path) !== expected) {
    closeSync(descriptor);
    throw Object.assign(new Error(`${expected} leads elsewhere`), { code: 'ENOTDIR' });
  }
  return { path, close: () => closeSync(descriptor) };
}

/** Undefined where there is no such folder, or a link is on the way to it. */
export function anchorIfThere(root: string, path: string): AnchoredFolder | undefined {
  try {
    return anchorFolder(root, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function splitPath(path: string): { parent: string; name: string } {
  const cut = path.lastIndexOf('/');
  return { parent: cut < 0 ? '' : path.slice(0, cut), name: path.slice(cut + 1) };
}
