import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type Command, type CommandResult, type Program, SiteFailure } from '#runtimes/runtime.ts';
import { withFileLimit } from './file-limit.ts';
import { PATHS, realFolder } from './paths.ts';
import { codeOf } from './piped-program.ts';

const INSIDE = join(import.meta.dirname, 'inside');
const FILES_PROGRAM = join(INSIDE, 'sftp-server.cjs');
const HEAP_MB = 64;
const LIMIT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
/** Somebody at a keyboard never says that this was all, so a command begins with what came until nothing more did. */
const INPUT_PAUSE_MS = 1_000;

/** What serves files where there is no sandbox: it makes and follows no links, and Node's permission model keeps it to the site's folder. */
export function limitedFiles(
  folder: string,
  env: Record<string, string>,
  fileBytes: number,
): Program & { pid: number | undefined } {
  const content = realFolder(folder);
  const { file, args } = withFileLimit(fileBytes, process.execPath, [
    '--permission',
    `--allow-fs-read=${INSIDE}`,
    `--allow-fs-read=${content}`,
    `--allow-fs-write=${content}`,
    `--max-old-space-size=${HEAP_MB}`,
    '--disable-warning=SecurityWarning',
    FILES_PROGRAM,
  ]);
  const child = spawn(file, args, {
    cwd: content,
    env: { ...env, SITE_FILES_ROOT: content, SITE_FILES_AT: PATHS.content },
    stdio: 'pipe',
  });
  const ended = endOf(child);
  requireStreams(child);
  const { stdin, stdout, stderr } = child;
  stdin.on('error', () => stdin.destroy());
  stderr.resume();
  return {
    pid: child.pid,
    onOutput: (take) => void stdout.on('data', (bytes: Buffer) => take(bytes, 'stdout')),
    write: (bytes) => new Promise((resolve) => stdin.write(bytes, () => resolve())),
    endInput: () => void stdin.end(),
    signal: (name) => void child.kill(name),
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    end() {
      stdout.resume();
      child.kill('SIGKILL');
    },
    ended,
  };
}

/** A command for the limited shell; or, where none is named, whatever stands on the input. */
export function limitedCommand(
  command: string | undefined,
  { env, maxDiskBytes }: Pick<Command, 'env' | 'maxDiskBytes'>,
  run: (command: Command) => Promise<CommandResult>,
): Program {
  const stop = new AbortController();
  const input = new PassThrough({ highWaterMark: MAX_INPUT_BYTES });
  let take: Parameters<Program['onOutput']>[0] = () => {};
  const pause = setTimeout(() => input.end(), INPUT_PAUSE_MS).unref();
  if (command === undefined) clearTimeout(pause);
  const act = async (): Promise<number> => {
    const text = await textOf(input, stop.signal);
    const result = await run({
      args: ['bash', '-c', command ?? text],
      ...(command !== undefined && { stdin: text }),
      ...(env && { env }),
      ...(maxDiskBytes !== undefined && { maxDiskBytes }),
      timeoutMs: LIMIT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      onOutput: (stream, bytes) => take(bytes, stream),
      signal: stop.signal,
    });
    return result.exitCode;
  };
  const failed = (error: Error) => {
    take(Buffer.from(`${error.message}\n`), 'stderr');
    return 1;
  };
  return {
    onOutput(listener) {
      const before = take;
      take = (bytes, stream) => {
        before(bytes, stream);
        listener(bytes, stream);
      };
    },
    async write(bytes) {
      if (input.writableEnded) return;
      if (command !== undefined) pause.refresh();
      input.write(bytes);
    },
    endInput: () => void input.end(),
    signal: () => stop.abort(),
    pause: () => {},
    resume: () => {},
    end: () => stop.abort(),
    ended: act().catch(failed),
  };
}

async function textOf(input: PassThrough, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  signal.addEventListener('abort', () => input.end(), { once: true });
  for await (const chunk of input as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) throw new Error('This is more than the limited shell takes as its input.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** To be asked for at once: what could not be spawned says so a moment later, to whoever listens. */
function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => resolve(codeOf(code, signal)));
  });
}

/** A machine that has no more files to open gives a process without any. */
function requireStreams({ stdin, stdout, stderr }: ChildProcess): void {
  if (!stdin || !stdout || !stderr) throw new SiteFailure('start', 'The program could not be started.');
}
