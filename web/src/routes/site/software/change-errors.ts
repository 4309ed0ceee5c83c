import type { Software } from '#sdk';

type Change = NonNullable<Software['change']>;

/** Removes PHP's output from the failure message, since it is shown in full next to it. */
export function failureOf({ failure }: Pick<Change, 'failure'>): string | null {
  return failure === null ? null : failure.replace(/ PHP said: [\s\S]*$/, '');
}

/** Returns the errors of single changes that the failure message does not contain already. */
export function otherErrorsOf({ failure, changes }: Pick<Change, 'failure' | 'changes'>): Change['changes'] {
  const isSaid = (error: string) => failure?.includes(error.replace(/[.]$/, '')) ?? false;
  return changes.filter(({ error }) => error !== null && !isSaid(error));
}
