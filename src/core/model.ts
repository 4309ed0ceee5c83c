/**
 * The port to a language model that can call tools; src/integrations/model has the driver. What it says is text of a stranger: it decides
 * nothing, and every call that it wants is made, proposed or refused by whoever asked it.
 */
export interface Model {
  readonly name: string;
  /** One turn, as it is written. Throws ModelFailed where the model does not answer as it should, or not in time. */
  ask(turn: ModelTurn, signal: AbortSignal): AsyncIterable<ModelPart>;
}

export interface ModelTurn {
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  maxTokens: number;
}

export type ModelMessage =
  | { role: 'system' | 'user'; text: string }
  | { role: 'assistant'; text: string; calls: readonly ModelCall[] }
  | { role: 'tool'; callId: string; text: string };

export interface ModelTool {
  name: string;
  description: string;
  /** A JSON schema. */
  input: object;
}

export interface ModelCall {
  id: string;
  name: string;
  /** JSON, as the model wrote it: it may be none. */
  input: string;
}

export type ModelPart = { text: string } | { calls: readonly ModelCall[] } | { tokens: number };

/** Its own words are for the operator. */
export class ModelFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelFailed';
  }
}
