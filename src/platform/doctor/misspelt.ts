import type { Env } from '../../config/read-variables.ts';
import { Variables } from '../../config/variables.ts';
import { advise, type Finding } from './finding.ts';

const MAX_EDITS = 2;
/** Short names are near too many others. */
const MIN_LENGTH = 6;

/** Finds environment variables that look like a misspelt variable of the service, which would keep its default. */
export function findMisspelt(env: Env): Finding[] {
  const known = Object.keys(Variables.properties);
  return Object.keys(env)
    .filter((name) => name.length >= MIN_LENGTH && !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((each) => each.length >= MIN_LENGTH && env[each] === undefined && isNear(name, each));
      if (meant === undefined) return [];
      return [advise(name, 'is not a variable of the service', `Rename it to ${meant} if you meant that.`)];
    });
}

/** The distance of Damerau and Levenshtein (optimal string alignment): letters added, left out, changed or swapped. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MAX_EDITS) return false;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    const distances = [row];
    rows.push(distances);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      distances.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length) <= MAX_EDITS;
}
