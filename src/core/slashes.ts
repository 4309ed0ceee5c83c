/** A path may be nothing but slashes, thousands of them: a pattern would look at each of them once for every other. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

export function withoutFirstSlashes(path: string): string {
  let start = 0;
  while (path[start] === '/') start++;
  return path.slice(start);
}
