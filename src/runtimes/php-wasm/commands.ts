import type { Readable } from 'node:stream';
import { TIMEOUT_EXIT_CODE, UNKNOWN_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { OwnCall, WorkerProcess, WorkerSite } from './worker-process.ts';

/** PHP programs that a command can name; there is no other program in this world. */
const WP_CLI = '/site/wp-cli/wp-cli.phar';
const WP_FLAGS = ['--path=/site/wordpress', '--allow-root', '--no-color'];

/** What is said of a command that names no such program; nothing has to start for that. */
export function refuseUnknown({ args: [program] }: Command): CommandResult | undefined {
  if (program === 'wp' || program === 'php') return undefined;
  const stderr = `${program}: command not found\n`;
  return { exitCode: UNKNOWN_EXIT_CODE, stdout: '', stderr, truncated: false, durationMs: 0 };
}

/** Runs one command of a site in a process of its own, which ends with it. */
export async function runCommand(
  worker: WorkerProcess,
  siteFolder: string,
  site: WorkerSite,
  command: Command,
  ownCall: OwnCall,
): Promise<CommandResult> {
  const startedAt = Date.now();
  const [program, ...rest] = command.args;
  const args = program === 'wp' ? [WP_CLI, ...WP_FLAGS, ...rest] : rest;
  const result = (exitCode: number, stdout: Output, stderr: Output, complaint = ''): CommandResult => ({
    exitCode,
    stdout: stdout.text,
    stderr: complaint + stderr.text,
    truncated: stdout.truncated || stderr.truncated,
    durationMs: Date.now() - startedAt,
  });
  const stdout = collect(worker.output.stdout, command.maxOutputBytes, (chunk) => command.onOutput?.('stdout', chunk));
  const stderr = collect(worker.output.stderr, command.maxOutputBytes, (chunk) => command.onOutput?.('stderr', chunk));
  const stop = () => worker.kill('timeout', 'The command took too long.');
  const timer = setTimeout(stop, command.timeoutMs);
  command.signal?.addEventListener('abort', stop, { once: true });
  if (command.signal?.aborted) stop();
  try {
    const exitCode = await worker.run(siteFolder, site, { args, env: {} }, ownCall);
    return result(exitCode, await stdout, await stderr);
  } catch (error) {
    if (!(error instanceof SiteFailure)) throw error;
    return result(TIMEOUT_EXIT_CODE, await stdout, await stderr, `${error.message}\n`);
  } finally {
    // Where it could not even be told what to run, it would wait for ever.
    worker.kill('stopped', 'The command is over.');
    clearTimeout(timer);
    command.signal?.removeEventListener('abort', stop);
  }
}

interface Output {
  text: string;
  truncated: boolean;
}

async function collect(
  stream: Readable,
  limitBytes: number,
  tell: (chunk: Buffer) => Promise<void> | void,
): Promise<Output> {
  const chunks: Buffer[] = [];
  let length = 0;
  let truncated = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const room = limitBytes - length;
    truncated ||= chunk.length > room;
    if (room > 0) {
      const taken = chunk.subarray(0, room);
      chunks.push(taken);
      await tell(taken);
    }
    length += Math.min(chunk.length, room);
  }
  return { text: Buffer.concat(chunks).toString(), truncated };
}
