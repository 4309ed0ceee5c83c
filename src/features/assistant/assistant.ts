import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import type { Draft } from '#features/proposal/proposal.ts';
import { answerBuiltIn } from './built-in.ts';
import { answerWithModel } from './model-loop.ts';
import { Toolbox } from './toolbox.ts';

/**
 * Answers a question of somebody, with their own rights and nothing of its own. Whatever it reads, be it a site, a log, a ticket or what the
 * model itself says, is data: a text can make it say something, and at most propose something. It has no way to change anything, nor to
 * send anything anywhere but into the thread.
 */
export { cleanAnswer } from './clean-answer.ts';

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

/** Is told what there is so far, as it comes. */
export interface Progress {
  text: string;
  steps: readonly Step[];
}

export interface Answered extends Progress {
  drafts: readonly Draft[];
}

/** What it has cost so far, also where it fails. */
export interface Spent {
  tokens: number;
}

export async function answerQuestion(
  services: Services,
  question: Question,
  show: (progress: Progress) => Promise<void>,
  spent: Spent,
  signal: AbortSignal,
): Promise<Answered> {
  const tools = new Toolbox(services, question, signal);
  const { model } = services;
  const { baseUrl } = services.config;
  if (model) return answerWithModel(model, question, tools, { show, spent, signal, baseUrl });
  return answerBuiltIn(question, tools, show);
}
