import type { Caller } from '#core/auth/caller.ts';
import type { Draft } from '#features/proposal/proposal.ts';

/** What somebody said in the thread, in order. */
export interface Said {
  by: 'asker' | 'other' | 'assistant';
  text: string;
}

export interface Question {
  /** Whoever asked, by the credential that they asked with. */
  caller: Caller;
  ip: string;
  /** All that it may look at. */
  teamId: string;
  /** The site that the thread is about, where it says so. */
  fqdn: string | undefined;
  subject: string;
  /** The thread; the last is the question. */
  thread: readonly Said[];
  customInstructions: string | null;
}

/** One thing that it did, for people. */
export interface Step {
  operation: string;
  text: string;
  ok: boolean;
}

/** Is told what there is so far, as it comes. The text is only made where somebody is shown it. */
export type Show = (progress: { text: () => string; steps: readonly Step[] }) => Promise<void>;

export interface Answered {
  text: string;
  steps: readonly Step[];
  drafts: readonly Draft[];
}

/** What it has cost so far, also where it fails. */
export interface Spent {
  tokens: number;
}
