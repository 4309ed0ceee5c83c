/** What a worker tells its parent: worker/settings.ts has the other side of it. */

/** How PHP came out of a request. */
export interface RequestEnd {
  outbox: string[];
  ranOutOfMemory: boolean;
  /** Pages may look different now. */
  changed: boolean;
}

/** How a command ended, and what its process has written in all by then. */
export interface CommandEnd {
  code: number;
  stdoutBytes: number;
  stderrBytes: number;
}

/** One message of PHP's error log. */
export interface LogMessage {
  atMs: number;
  text: string;
}

export type WorkerMessage =
  | { type: 'booted' | 'warmed' | 'serving' }
  | { type: 'begin'; request: string | null }
  | { type: 'log'; messages: LogMessage[] }
  | ({ type: 'end' } & RequestEnd)
  | { type: 'input' }
  | { type: 'grew'; bytes: number }
  | ({ type: 'exit' } & CommandEnd);

/**
 * The process runs a customer's code, if only in WebAssembly: what comes out of it is taken for what we expect only where it is.
 * Undefined where it is not.
 */
export function readMessage(said: unknown): WorkerMessage | undefined {
  const message = said as WorkerMessage | null;
  switch (message?.type) {
    case 'booted':
    case 'warmed':
    case 'serving':
    case 'input':
      return message;
    case 'grew':
      return Number.isSafeInteger(message.bytes) ? message : undefined;
    case 'exit':
      return isCommandEnd(message) ? message : undefined;
    case 'begin':
      return message.request === null || typeof message.request === 'string' ? message : undefined;
    case 'log':
      return Array.isArray(message.messages) && message.messages.every(isLogMessage) ? message : undefined;
    case 'end':
      return isEnd(message) ? message : undefined;
    default:
      return undefined;
  }
}

function isLogMessage(message: LogMessage | null): boolean {
  const isTime = Math.abs(Number(message?.atMs) - Date.now()) < 24 * 3_600_000;
  return isTime && typeof message?.text === 'string';
}

function isCommandEnd({ code, stdoutBytes, stderrBytes }: CommandEnd): boolean {
  return [code, stdoutBytes, stderrBytes].every(Number.isSafeInteger);
}

function isEnd({ outbox }: RequestEnd): boolean {
  return Array.isArray(outbox) && outbox.every((name) => typeof name === 'string');
}
