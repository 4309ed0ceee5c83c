import { Readable } from 'node:stream';
import type OpenAI from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import {
  type Model,
  type ModelCall,
  ModelFailed,
  type ModelMessage,
  type ModelPart,
  type ModelTurn,
} from '#core/model.ts';
import type { Outbound } from '#core/outbound.ts';

export interface ModelSettings {
  url: string;
  key: string;
  model: string;
}

/** More than any turn of ours takes; a server that goes on and on is cut off. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Any server that speaks OpenAI's protocol for chats, by its official SDK. */
export class OpenAiModel implements Model {
  readonly name: string;
  readonly #makeClient: () => Promise<OpenAI>;
  #client: Promise<OpenAI> | undefined;

  constructor({ url, key, model }: ModelSettings, outbound: Outbound) {
    this.name = model;
    this.#makeClient = async () => {
      // Only whoever asks something needs it.
      const { default: Client } = await import('openai');
      // Whoever waits is told that it failed; trying again is their decision.
      return new Client({ baseURL: url, apiKey: key, maxRetries: 0, fetch: fetchOver(outbound), logLevel: 'off' });
    };
  }

  async *ask(turn: ModelTurn, signal: AbortSignal): AsyncIterable<ModelPart> {
    try {
      this.#client ??= this.#makeClient();
      const stream = await (await this.#client).chat.completions.create(
        {
          model: this.name,
          stream: true,
          stream_options: { include_usage: true },
          max_completion_tokens: turn.maxTokens,
          messages: turn.messages.map(toWire),
          tools: turn.tools.map(({ name, description, input }) => ({
            type: 'function',
            function: { name, description, parameters: input as Record<string, unknown> },
          })),
        },
        { signal },
      );
      yield* partsOf(stream);
    } catch (error) {
      throw new ModelFailed(signal.aborted ? 'the model took too long' : String((error as Error).message), {
        cause: error,
      });
    }
  }
}

/** Calls come in pieces, by their place in the list; they are whole when the turn is. */
async function* partsOf(stream: AsyncIterable<ChatCompletionChunk>): AsyncIterable<ModelPart> {
  const calls: ModelCall[] = [];
  let isEnded = false;
  for await (const { choices, usage } of stream) {
    if (usage) yield { tokens: usage.total_tokens };
    const choice = choices[0];
    if (choice?.finish_reason) isEnded = true;
    if (choice?.delta?.content) yield { text: choice.delta.content };
    for (const { index, id, function: piece } of choice?.delta?.tool_calls ?? []) {
      const call = calls[index] ?? { id: '', name: '', input: '' };
      calls[index] = {
        id: id ?? call.id,
        name: call.name + (piece?.name ?? ''),
        input: call.input + (piece?.arguments ?? ''),
      };
    }
  }
  // A connection that breaks off looks like an end to whoever only reads lines.
  if (!isEnded) throw new Error('the answer of the model broke off');
  const whole = calls.filter((call) => call !== undefined);
  if (whole.length > 0) yield { calls: whole };
}

function toWire(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role !== 'assistant') return { role: message.role, content: message.text };
  const tool_calls = message.calls.map(({ id, name, input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: input },
  }));
  return { role: 'assistant', content: message.text, ...(tool_calls.length > 0 && { tool_calls }) };
}

/** What the SDK sends its requests with: the one way out that every call of the platform takes. */
function fetchOver(outbound: Outbound): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers));
      const url = input instanceof Request ? input.url : input;
      const options = { method: init.method ?? 'GET', headers, ...(init.signal && { signal: init.signal }) };
      const outgoing = outbound.request(url, options).once('error', reject);
      outgoing.once('response', (incoming) => {
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) incoming.destroy(new Error('the model answers more than is taken'));
        });
        const body = Readable.toWeb(incoming) as ReadableStream;
        const { statusCode: status = 502, headers: given } = incoming;
        const single = Object.entries(given).map(([name, value]) => [name, String(value)] as [string, string]);
        resolve(new Response(body, { status, headers: single }));
      });
      outgoing.end(init.body === undefined || init.body === null ? undefined : String(init.body));
    });
}
