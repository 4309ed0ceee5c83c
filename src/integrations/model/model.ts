import type { Model } from '#core/model.ts';
import type { Outbound } from '#core/outbound.ts';
import { type ModelSettings, OpenAiModel } from './openai-model.ts';

/** The model that the operator has chosen; without one the assistant's built-in helper answers. */
export function createModel(settings: ModelSettings | undefined, outbound: Outbound): Model | undefined {
  return settings && new OpenAiModel(settings, outbound);
}
