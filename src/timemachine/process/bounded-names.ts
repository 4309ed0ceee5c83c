import type { Skipped } from '../snapshot.ts';

/**
 * What a site called its tables and files, on its way to the platform's own process and its database, where it is written down every minute.
 * Honest sites stay far below these limits; of the others, the first ones are told.
 */
const NAMES_LENGTH = 32_000;
const NAME_LENGTH = 300;

export function boundedNames(names: readonly string[]): string[] {
  return within(names.map(bounded), (name) => name.length);
}

export function boundedSkips(skips: readonly Skipped[]): Skipped[] {
  const short = skips.map(({ name, reason }) => ({ name: bounded(name), reason: bounded(reason) }));
  return within(short, ({ name, reason }) => name.length + reason.length);
}

function bounded(text: string): string {
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH)}…` : text;
}

function within<T>(all: T[], lengthOf: (one: T) => number): T[] {
  let left = NAMES_LENGTH;
  return all.filter((one) => {
    left -= lengthOf(one);
    return left >= 0;
  });
}
