import { type Model, type ModelCall, ModelFailed, type ModelMessage } from '#core/model.ts';
import { cleanAnswer, finishedPart } from './clean-answer.ts';
import { promptOf } from './prompt.ts';
import type { Answered, Question, Show, Spent } from './question.ts';
import { type Toolbox, toText } from './toolbox.ts';

const MAX_ROUNDS = 8;
const MAX_TOKENS_PER_ROUND = 2_000;
/** What one answer may cost in all, what is sent included. */
const MAX_TOKENS = 120_000;
const MAX_TEXT = 16_000;

/** What an answer is written within. */
interface Frame {
  show: Show;
  spent: Spent;
  signal: AbortSignal;
  baseUrl: string;
}

/** Asks the model, lets it use the tools, and asks again, until it says something without wanting more. */
export async function answerWithModel(
  model: Model,
  question: Question,
  tools: Toolbox,
  { show, spent, signal, baseUrl }: Frame,
): Promise<Answered> {
  const messages: ModelMessage[] = promptOf(question);
  let said = '';
  for (let round = 1; ; round++) {
    const before = said === '' ? '' : `${said}\n\n`;
    const turn = { messages, tools: round < MAX_ROUNDS ? tools.list() : [], maxTokens: MAX_TOKENS_PER_ROUND };
    const guess = estimate([turn.messages, turn.tools]);
    spent.tokens += guess;
    const { text, calls, tokens } = await listen(model.ask(turn, signal), (part) =>
      show({ text: () => cleanAnswer(finishedPart(before + part), baseUrl), steps: tools.steps }),
    );
    spent.tokens += tokens === undefined ? estimate([text, calls]) : tokens - guess;
    if (text.trim() !== '') said = before + text.trim();
    if (calls.length === 0 || round === MAX_ROUNDS || spent.tokens > MAX_TOKENS || said.length > MAX_TEXT) break;
    messages.push({ role: 'assistant', text, calls });
    for (const call of calls) {
      messages.push({ role: 'tool', callId: call.id, text: await use(tools, call) });
      await show({ text: () => cleanAnswer(said, baseUrl), steps: tools.steps });
      signal.throwIfAborted();
    }
  }
  const text = cleanAnswer(said.slice(0, MAX_TEXT), baseUrl).trim();
  if (text === '' && tools.drafts.length === 0) throw new ModelFailed('the model said nothing');
  return { text: text || 'I propose this:', steps: tools.steps, drafts: tools.drafts };
}

/** About so many tokens, for servers that do not count, and until they have. */
const estimate = (what: unknown) => Math.ceil(JSON.stringify(what).length / 4);

async function listen(
  parts: ReturnType<Model['ask']>,
  show: (text: string) => Promise<void>,
): Promise<{ text: string; calls: readonly ModelCall[]; tokens: number | undefined }> {
  let text = '';
  let calls: readonly ModelCall[] = [];
  let tokens: number | undefined;
  for await (const part of parts) {
    if ('tokens' in part) tokens = part.tokens;
    else if ('calls' in part) calls = part.calls;
    else {
      text += part.text;
      if (text.length > MAX_TEXT) throw new ModelFailed('the model went on and on');
      await show(text);
    }
  }
  return { text, calls, tokens };
}

async function use(tools: Toolbox, { name, input }: ModelCall): Promise<string> {
  let given: unknown;
  try {
    given = JSON.parse(input || '{}');
  } catch {
    return toText({ ok: false, data: 'The input is not JSON.' });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return toText({ ok: false, data: 'The input must be an object.' });
  return toText(await tools.use(name, given as Record<string, unknown>));
}
