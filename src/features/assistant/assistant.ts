import type { Services } from '#core/services.ts';
import { answerBuiltIn } from './built-in.ts';
import { answerWithModel } from './model-loop.ts';
import type { Answered, Question, Show, Spent } from './question.ts';
import { Toolbox } from './toolbox.ts';

export type { Answered, Question, Said, Show, Spent, Step } from './question.ts';

/**
 * Answers a question of somebody, with their own rights and nothing of its own. Whatever it reads, be it a site, a log, a ticket or what the
 * model itself says, is data: a text can make it say something, and at most propose something. It has no way to change anything, nor to
 * send anything anywhere but into the thread.
 */
export async function answerQuestion(
  services: Services,
  question: Question,
  show: Show,
  spent: Spent,
  signal: AbortSignal,
): Promise<Answered> {
  const tools = new Toolbox(services, question, signal);
  const { model } = services;
  const { baseUrl } = services.config;
  if (model) return answerWithModel(model, question, tools, { show, spent, signal, baseUrl });
  return answerBuiltIn(question, tools, show, baseUrl);
}
