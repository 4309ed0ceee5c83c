import type { Step } from './site-software.schema.ts';

const DID: Record<Step['action'], string> = {
  update: 'updated',
  activate: 'switched on',
  deactivate: 'switched off',
  delete: 'deleted',
  install: 'installed',
};

const MOST_NAMED = 3;

/** What was done, for a line of the activity: `updated Akismet to 5.3 and Jetpack to 14.1`. */
export function sentenceOf(steps: readonly Step[]): string {
  const [first] = steps;
  if (!first) return 'changed nothing';
  const told = steps.slice(0, MOST_NAMED).map((step) => {
    const title = step.kind === 'theme' ? `the theme ${step.title}` : step.title;
    return step.action === 'update' && step.to !== null ? `${title} to ${step.to}` : title;
  });
  const more = steps.length - told.length;
  if (more > 0) told.push(`${more} more`);
  const last = told.pop() as string;
  return `${DID[first.action]} ${told.length > 0 ? `${told.join(', ')} and ${last}` : last}`;
}

/** What is said where WordPress did not do it, or not all of it. */
export function refusalOf(steps: readonly Step[]): string {
  const failed = steps.filter(({ error }) => error !== null);
  const why = (failed[0]?.error ?? 'it gave no reason').replace(/[.]?$/, '.');
  if (failed.length < steps.length) return `WordPress did not update ${failed[0]?.title}: ${why}`;
  return `WordPress did not do it: ${why} Nothing was changed.`;
}
