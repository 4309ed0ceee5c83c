import type { Progress } from '#timemachine/progress.ts';

/** The last of each step, in order. Slow work tells more often on the way. */
export const ends = (told: readonly Progress[]): Progress[] =>
  told.filter(({ step }, index) => told[index + 1]?.step !== step);
