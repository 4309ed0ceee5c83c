/** Does the work for each, whatever becomes of the others; fails at the end with the first failure. */
export async function eachOf<T>(all: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const each of all) await work(each).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
