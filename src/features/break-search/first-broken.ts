/**
 * The first of a row in which something is broken that stays so, by halving: nothing is asked twice, and of 500 at most 9 are. The length of the row where none
 * is broken.
 */
export async function firstBroken<T>(row: readonly T[], isBroken: (item: T) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await isBroken(row[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
