/** Whether the path is the prefix or lies below it: `/shop` holds `/shop` and `/shop/x`, not `/shopping`. */
export function isUnder(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return path.length === prefix.length || prefix === '/' || path.charCodeAt(prefix.length) === 0x2f;
}
