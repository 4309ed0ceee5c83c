import { CollectedOutput } from '#runtimes/collected-output.ts';
import { inputReader, TIMEOUT_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { phpArguments } from '#runtimes/wordpress/wp-cli.ts';
import type { OwnCall, WorkerProcess, WorkerSite } from './worker-process.ts';

const START_FOLDER = '/site/wordpress';
/** As PHP says it of itself after a fatal error. */
const BROKEN_EXIT_CODE = 255;

/** Runs one command of a site in a process that has no other then. It may be used again where it is alive afterwards. */
export async function runCommand(
  worker: WorkerProcess,
  siteFolder: string,
  site: WorkerSite,
  command: Command,
  ownCall: OwnCall,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const { cwd = START_FOLDER, env = {} } = command;
  const stdout = new CollectedOutput(worker.output.stdout, 'stdout', command, worker.received.stdout);
  const stderr = new CollectedOutput(worker.output.stderr, 'stderr', command, worker.received.stderr);
  const result = (exitCode: number, complaint = ''): CommandResult => ({
    exitCode,
    stdout: stdout.text,
    stderr: complaint + stderr.text,
    truncated: stdout.truncated || stderr.truncated,
    durationMs: Math.round(performance.now() - startedAt),
  });
  worker.nextInput = inputReader(command.stdin);
  const stop = () => worker.kill('timeout', 'The command took too long.');
  const timer = setTimeout(stop, Math.min(command.timeoutMs, LONGEST_TIMER_MS));
  command.signal?.addEventListener('abort', stop, { once: true });
  if (command.signal?.aborted) stop();
  try {
    const end = await worker.run(siteFolder, site, { args: phpArguments(command), cwd, env }, ownCall);
    await Promise.all([stdout.until(end.stdoutBytes), stderr.until(end.stderrBytes)]);
    return result(end.code);
  } catch (error) {
    // Where it could not even be told what to run, it would wait for ever.
    worker.kill('stopped', 'The command is over.');
    if (!(error instanceof SiteFailure)) throw error;
    await Promise.all([stdout.until(), stderr.until()]);
    await command.onOutput?.('stderr', Buffer.from(`${error.message}\n`));
    return result(error.reason === 'crash' ? BROKEN_EXIT_CODE : TIMEOUT_EXIT_CODE, `${error.message}\n`);
  } finally {
    worker.received.stdout = stdout.readBytes;
    worker.received.stderr = stderr.readBytes;
    clearTimeout(timer);
    command.signal?.removeEventListener('abort', stop);
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;
