import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ExecResult } from 'just-bash';
import { PROGRAM_FOLDER, programFile } from '#core/program.ts';
import { TIMEOUT_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import type { DiskWatch } from './disk-watch.ts';
import { withFileLimit } from './file-limit.ts';
import type { FromLimited, LimitedWish, ToLimited } from './limited-program.ts';
import { realFolder } from './paths.ts';
import { folderInside } from './watched-shell.ts';

export interface LimitedShellOptions {
  foldersOf(site: SiteSpec): { content: string; core: string };
  /** Whom a site's files belong to, where that is not whoever we are. */
  ownerOf(siteId: string): number | undefined;
  giveToOwner(siteId: string): void;
  disk: DiskWatch;
  exec(site: SiteSpec, command: Command): Promise<CommandResult>;
}

const PROGRAM = programFile(join(import.meta.dirname, 'limited-program.ts'));
const REPOSITORY = join(import.meta.dirname, '../../..');
const READABLE = [PROGRAM_FOLDER, join(REPOSITORY, 'package.json'), join(REPOSITORY, 'node_modules')];
const HEAP_MB = 256;
const KILLED_EXIT_CODE = 137;
const REFUSED: ExecResult = {
  stdout: '',
  stderr: 'bash takes a command as `-c`, and nothing else here.\n',
  exitCode: 2,
};

/** What is a shell where this machine has no sandbox: most of bash and of its usual tools, on the site's files alone. */
export class LimitedShell {
  readonly #options: LimitedShellOptions;
  readonly #running = new Map<ChildProcess, string>();

  constructor(options: LimitedShellOptions) {
    this.#options = options;
  }

  async run(site: SiteSpec, command: Command): Promise<CommandResult> {
    const startedAt = performance.now();
    const [, flag, script] = command.args;
    const result = flag === '-c' && script !== undefined ? await this.#interpret(site, command, script) : REFUSED;
    const durationMs = Math.round(performance.now() - startedAt);
    if (result === 'no-folder')
      return { exitCode: 125, stdout: '', stderr: '', truncated: false, durationMs, isCwdMissing: true };
    const [stdout, stderr] = [cut(result.stdout, command.maxOutputBytes), cut(result.stderr, command.maxOutputBytes)];
    for (const [name, { bytes }] of [['stdout', stdout] as const, ['stderr', stderr] as const])
      if (bytes.length > 0) await command.onOutput?.(name, bytes);
    return {
      exitCode: result.exitCode,
      stdout: stdout.bytes.toString(),
      stderr: stderr.bytes.toString(),
      truncated: stdout.isCut || stderr.isCut,
      durationMs,
    };
  }

  async end(siteId: string): Promise<void> {
    const children = [...this.#running].filter(([, id]) => id === siteId).map(([child]) => child);
    await Promise.all(children.map(ended));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map(ended));
  }

  async #interpret(site: SiteSpec, command: Command, script: string): Promise<ExecResult | 'no-folder'> {
    const folders = this.#options.foldersOf(site);
    const [content, core] = [realFolder(folders.content), realFolder(folders.core)];
    const wish: LimitedWish = {
      content,
      core,
      script,
      cwd: folderInside(command.cwd),
      env: command.env ?? {},
      stdin: await textOf(command.stdin),
      timeoutMs: command.timeoutMs,
    };
    const seat = await this.#options.disk.seat(site.id, command.maxDiskBytes);
    this.#options.giveToOwner(site.id);
    const child = start(content, core, seat.room.fileBytes, this.#options.ownerOf(site.id));
    this.#running.set(child, site.id);
    const calls = new AbortController();
    let why: ExecResult | undefined;
    const end = (stderr: string, exitCode: number) => {
      why ??= { stdout: '', stderr, exitCode };
      child.kill('SIGKILL');
    };
    const late = () => end('The command took too long.\n', TIMEOUT_EXIT_CODE);
    const timer = setTimeout(late, command.timeoutMs);
    command.signal?.addEventListener('abort', late, { once: true });
    if (command.signal?.aborted) late();
    const stopDisk = seat.watch({ pid: () => child.pid, tell: (message) => end(`${message}\n`, KILLED_EXIT_CODE) });
    try {
      const result = await this.#speak(child, site, wish, calls.signal);
      return why ?? result ?? { stdout: '', stderr: 'The command was ended.\n', exitCode: KILLED_EXIT_CODE };
    } finally {
      calls.abort();
      clearTimeout(timer);
      stopDisk();
      command.signal?.removeEventListener('abort', late);
      await ended(child);
      this.#running.delete(child);
    }
  }

  /** Undefined where the process ended without a result. */
  #speak(
    child: ChildProcess,
    site: SiteSpec,
    wish: LimitedWish,
    signal: AbortSignal,
  ): Promise<ExecResult | 'no-folder' | undefined> {
    const say = (message: ToLimited) => child.connected && child.send(message);
    return new Promise((resolve) => {
      child.once('exit', () => resolve(undefined)).once('error', () => resolve(undefined));
      child.on('message', async (message: FromLimited) => {
        if (message.type === 'ready') say({ type: 'run', wish });
        else if (message.type === 'result') resolve(message.result);
        else say({ type: 'answer', id: message.id, result: await this.#answer(site, message, wish, signal) });
      });
    });
  }

  async #answer(
    site: SiteSpec,
    { program, args, cwd, stdin }: Extract<FromLimited, { type: 'call' }>,
    { timeoutMs }: LimitedWish,
    signal: AbortSignal,
  ): Promise<ExecResult> {
    try {
      const limits = { timeoutMs, maxOutputBytes: 16 * 1024 * 1024, signal };
      const { stdout, stderr, exitCode } = await this.#options.exec(site, {
        args: [program, ...args],
        cwd,
        stdin,
        ...limits,
      });
      return { stdout, stderr, exitCode };
    } catch (error) {
      return { stdout: '', stderr: `${(error as Error).message}\n`, exitCode: 69 };
    }
  }
}

function start(content: string, core: string, fileBytes: number, owner: number | undefined): ChildProcess {
  const { file, args } = withFileLimit(fileBytes, process.execPath);
  return fork(PROGRAM, [], {
    ...(owner !== undefined && { uid: owner, gid: owner }),
    execPath: file,
    execArgv: [
      ...args,
      '--permission',
      ...[...READABLE, content, core].map((path) => `--allow-fs-read=${path}`),
      `--allow-fs-write=${content}`,
      `--max-old-space-size=${HEAP_MB}`,
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
    ],
    cwd: content,
    env: { TZ: 'UTC' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

async function textOf(stdin: string | Readable | undefined): Promise<string> {
  if (stdin === undefined || typeof stdin === 'string') return stdin ?? '';
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function cut(text: string, maxBytes: number): { bytes: Buffer; isCut: boolean } {
  const bytes = Buffer.from(text);
  return { bytes: bytes.subarray(0, maxBytes), isCut: bytes.length > maxBytes };
}
