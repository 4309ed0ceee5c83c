import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailed } from '#core/git.ts';
import { endGroup } from '#core/starter/end-group.ts';
import { startProgram } from '#core/starter/starter.ts';

/** What one look at a repository may take, whatever it turns out to be. */
export interface GitLimits {
  timeoutMs: number;
  /** On disk, and over the wire where that is counted. */
  maxBytes: number;
  maxMemoryBytes: number;
  maxOutputBytes: number;
}

export interface GitAnswer {
  exitCode: number;
  output: Buffer;
  /** The output as text. */
  stdout: string;
  stderr: string;
}

interface GitCommand {
  program: string;
  args: readonly string[];
  env: Record<string, string>;
  /** What the command writes to. */
  folder: string;
  /** When the whole look must have ended, as performance.now() tells it. */
  deadline: number;
  limits: GitLimits;
  /** What it reads from its standard input. */
  input?: string;
}

const WATCH_MS = 100;
const GRACE_SECONDS = 5;
/** As shells and `timeout` tell it. */
const NO_SUCH_PROGRAM = 127;
const PAGE_BYTES = 4096;
const MAX_STDERR_BYTES = 16_384;

/** Runs git without a shell, in a process group of its own that ends whole when a limit is reached. */
export async function runGit({ program, args, env, folder, deadline, limits, input }: GitCommand): Promise<GitAnswer> {
  // The limit of time holds even where this process is killed and nobody is left to watch: then `timeout` ends it.
  const seconds = Math.max(1, Math.ceil((deadline - performance.now()) / 1000) + GRACE_SECONDS);
  const limited = ['--signal=KILL', String(seconds), program, ...args];
  const hasInput = input !== undefined;
  const { pid, stdin, stdout, stderr, closed } = await startProgram('timeout', limited, {
    cwd: folder,
    env,
    hasInput,
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? notInstalled() : error;
  });
  // It may end before it has read all of it.
  stdin?.on('error', () => {}).end(input);
  let broken: GitFailed | undefined;
  const end = (reason: 'timeout' | 'too_large', message: string) => {
    broken ??= new GitFailed(reason, message);
    endGroup(pid);
  };
  const tooLarge = () => end('too_large', 'The repository is larger than what is looked at.');
  const timer = setTimeout(
    () => end('timeout', 'The repository did not answer in time.'),
    deadline - performance.now(),
  );
  const watch = setInterval(async () => {
    const [onDisk, inMemory] = await Promise.all([sizeOf(folder), memoryOf(pid)]);
    if (onDisk > limits.maxBytes || inMemory > limits.maxMemoryBytes) tooLarge();
  }, WATCH_MS);
  try {
    const [output, complaint, { code }] = await Promise.all([
      collect(stdout, limits.maxOutputBytes, tooLarge),
      collect(stderr, MAX_STDERR_BYTES, () => {}),
      closed,
    ]);
    if (broken) throw broken;
    if (code === NO_SUCH_PROGRAM) throw notInstalled();
    return {
      exitCode: code ?? -1,
      output,
      get stdout() {
        return output.toString();
      },
      stderr: complaint.toString(),
    };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    // Whatever it started ends with it.
    endGroup(pid);
  }
}

const notInstalled = () => new GitFailed('not_configured', 'Git is not installed on the platform.');

async function collect(stream: NodeJS.ReadableStream, maxBytes: number, overflow: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    else overflow();
  }
  return Buffer.concat(chunks);
}

export async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** What a process and everything below it has in memory. */
async function memoryOf(pid: number): Promise<number> {
  const [statm, children] = await Promise.all([
    readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
  ]);
  const below = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => memoryOf(Number(child))),
  );
  return below.reduce((sum, bytes) => sum + bytes, Number(statm.split(' ')[1]) * PAGE_BYTES);
}
