import type { Software } from '#sdk';

type Change = NonNullable<Software['change']>;

/** What PHP said is shown in full by itself, so the sentence about the failure goes without it. */
export function failureOf({ failure }: Pick<Change, 'failure'>): string | null {
  return failure === null ? null : failure.replace(/ PHP said: [\s\S]*$/, '');
}

/** The errors of single changes that the sentence about the failure does not say already. */
export function otherErrorsOf({ failure, changes }: Pick<Change, 'failure' | 'changes'>): Change['changes'] {
  const isSaid = (error: string) => failure?.includes(error.replace(/[.]$/, '')) ?? false;
  return changes.filter(({ error }) => error !== null && !isSaid(error));
}
