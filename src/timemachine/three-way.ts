import type { TreeEntry } from './tree.ts';

/**
 * A plan for files is made of three states: `ours` is what the plan is for, `theirs` is where changes come from, and `base` is what
 * both once were. What only theirs changed comes in, what only ours changed stays, and where both changed the same thing in
 * different ways there is a conflict: then ours stays, unless the caller decides for theirs.
 *
 * A restore is the case in which ours is the base: all that differs is then a change of theirs, and nothing is in conflict.
 */
export interface ThreeStates<State> {
  base: State;
  ours: State;
  theirs: State;
}

/** The two states of a restore. */
export function restoreOf<State>(now: State, point: State): ThreeStates<State> {
  return { base: now, ours: now, theirs: point };
}

type Side = 'ours' | 'theirs';

/**
 * A name that both have changed. Also a folder as a whole, where one side has changed something in it and the other one has
 * put something else in its place. What is undefined on a side is not there; `taken` is what was decided.
 */
export type Conflict = { path: string; taken: Side } & Partial<ThreeStates<TreeEntry | undefined>>;

/** The caller's word on a conflict. */
export type Decide = (conflict: Omit<Conflict, 'taken'>) => Side;

export const oursStays: Decide = () => 'ours';
