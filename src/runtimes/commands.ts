import { Readable } from 'node:stream';
import type { Command } from './runtime.ts';

/** What a shell would say of a program that took too long, and of one that there is not. */
export const TIMEOUT_EXIT_CODE = 124;
export const UNKNOWN_EXIT_CODE = 127;

const PLAIN_WORD = /^[\w./][\w./-]*$/;

/** What a log may keep of a command, such as `wp core update-db`: what follows that, options above all, may be a secret. */
export function commandName({ args: [program, ...rest] }: Command): string {
  const words = rest.slice(0, 2);
  const end = words.findIndex((word) => !PLAIN_WORD.test(word));
  return [program, ...(end < 0 ? words : words.slice(0, end))].join(' ');
}

/** Gives a command's input a part at a time to whoever asks; nothing is the end. A stream is first read when somebody asks. */
export function inputReader(stdin: Command['stdin']): () => Promise<Uint8Array> {
  let parts: AsyncIterator<Buffer> | undefined;
  return async () => {
    if (stdin === undefined) return new Uint8Array();
    parts ??= (typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin)[Symbol.asyncIterator]();
    const { value, done } = await parts.next();
    return done ? new Uint8Array() : value;
  };
}
