/** The paths that may have changed, as a tree: where to look, and nowhere else. */
export interface Hints {
  /** Look at everything below this one. */
  isWhole: boolean;
  below: Map<string, Hints>;
}

export function hintsFrom(paths: Iterable<string>): Hints {
  const root: Hints = { isWhole: false, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const name of path.split('/').filter((each) => each !== '')) {
      const next = node.below.get(name) ?? { isWhole: false, below: new Map() };
      node.below.set(name, next);
      node = next;
    }
    // Whoever names a folder means all of it.
    node.isWhole = true;
  }
  return root;
}
