// SPDX-License-Identifier: GPL-2.0-or-later

/**
 * Calls that php-wasm takes for done without doing anything, or that no site may do. PHP is told that they failed, so that nobody relies on them:
 * its functions return false, with a warning.
 */
type Call = (...args: number[]) => number;

/** As WASI numbers them. */
const EPERM = 63;
/** Whoever runs such a file would be somebody else. */
const SET_ID = 0o6000;

const refuse = () => -EPERM;

export const REFUSED_CALLS: Record<string, (original: Call) => Call> = {
  // A site has one user, and its files belong to that one.
  __syscall_fchownat:
    () =>
    (_folder, _path, user = -1, group = -1) =>
      isSelf(user, group) ? 0 : -EPERM,
  __syscall_fchown32:
    () =>
    (_descriptor, user = -1, group = -1) =>
      isSelf(user, group) ? 0 : -EPERM,
  __syscall_chmod:
    (original) =>
    (path = 0, mode = 0) =>
      mode & SET_ID ? -EPERM : original(path, mode),
  __syscall_fchmod:
    (original) =>
    (descriptor = 0, mode = 0) =>
      mode & SET_ID ? -EPERM : original(descriptor, mode),
  // What may be opened is known by names, and a link gives another name to what may not be.
  __syscall_symlinkat: () => refuse,
};

function isSelf(user: number, group: number): boolean {
  const isNobodyElse = (id: number, own: number | undefined) => id === -1 || id >>> 0 === own;
  return isNobodyElse(user, process.getuid?.()) && isNobodyElse(group, process.getgid?.());
}
