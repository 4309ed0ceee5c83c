import type { Step } from './site-software.schema.ts';
import type { SoftwareRow } from './site-software.sql.ts';

/** An update that nobody can make, such as of a plugin without its licence, would have visitors wait every night for nothing. */
const MOST_TRIES = 3;

type Refused = Record<string, { to: string; tries: number }>;
type Known = Pick<SoftwareRow, 'rejected' | 'refused'> | undefined;

export const keyOf = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string => `${kind} ${name}`;

/** The versions that are left to people, by what they are of: taken back once, or not made in as many nights. */
export function leftToPeople(row: Known): Record<string, string> {
  const refused = Object.entries((row?.refused ?? {}) as Refused).filter(([, { tries }]) => tries >= MOST_TRIES);
  return {
    ...(row?.rejected as Record<string, string> | undefined),
    ...Object.fromEntries(refused.map(([key, { to }]) => [key, to])),
  };
}

/** Counts what WordPress did not make of a change by itself. `isGivenUp`: something of it was tried for the last time. */
export function countRefused(row: Known, steps: readonly Step[]): { refused: string; isGivenUp: boolean } {
  const refused = { ...((row?.refused ?? {}) as Refused) };
  let isGivenUp = false;
  for (const step of steps) {
    const known = refused[keyOf(step)];
    delete refused[keyOf(step)];
    if (step.error === null || step.to === null) continue;
    const tries = known?.to === step.to ? known.tries + 1 : 1;
    refused[keyOf(step)] = { to: step.to, tries };
    isGivenUp ||= tries === MOST_TRIES;
  }
  return { refused: JSON.stringify(refused), isGivenUp };
}
