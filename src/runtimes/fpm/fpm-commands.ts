import { posix } from 'node:path';
import { type StartedProgram, startProgram } from '#core/starter/starter.ts';
import { CollectedOutput } from '#runtimes/collected-output.ts';
import { TIMEOUT_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import { feed } from '#runtimes/shell/watched-shell.ts';
import { LAYOUT } from '#runtimes/wordpress/layout.ts';
import { phpArguments } from '#runtimes/wordpress/wp-cli.ts';
import { endTree } from '#sandbox/ending.ts';
import { processesOf } from '#sandbox/processes.ts';
import type { PhpHome } from './php-home.ts';

const KILLED_EXIT_CODE = 137;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const BEING_WORKED_ON = 'The site is being worked on.';

/** The commands that run in sites, each in a sandbox of its own. */
export class FpmCommands {
  readonly #home: () => PhpHome;
  readonly #running = new Map<string, Set<RunningCommand>>();

  constructor(home: () => PhpHome) {
    this.#home = home;
  }

  /** `requireOpen` fails where the site may not be touched: some work may have taken it meanwhile. */
  async run(site: SiteSpec, siteFolder: string, command: Command, requireOpen = () => {}): Promise<CommandResult> {
    const running = new RunningCommand(command);
    const all = this.#running.get(site.id) ?? new Set();
    this.#running.set(site.id, all.add(running));
    try {
      const cwd = command.cwd === undefined ? LAYOUT.core : posix.resolve(LAYOUT.content, command.cwd);
      const entry = await this.#home().command(site, siteFolder, {
        args: phpArguments(command),
        cwd,
        env: command.env ?? {},
      });
      try {
        requireOpen();
        return await running.run(entry.spawn);
      } finally {
        await entry.leave();
      }
    } finally {
      running.settle();
      all.delete(running);
      if (all.size === 0 && this.#running.get(site.id) === all) this.#running.delete(site.id);
    }
  }

  /** Ends all that run of a site; resolves when they are gone. */
  async end(siteId: string, message = BEING_WORKED_ON): Promise<void> {
    const all = [...(this.#running.get(siteId) ?? [])];
    for (const each of all) each.end(message);
    await Promise.all(all.map(({ settled }) => settled));
  }

  /** Every process of a site's commands. */
  pidsOf(siteId: string): number[] {
    return [...(this.#running.get(siteId) ?? [])].flatMap(({ pids }) => pids);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((siteId) => this.end(siteId)));
  }
}

class RunningCommand {
  readonly #command: Command;
  readonly #settled = Promise.withResolvers<void>();
  readonly settled = this.#settled.promise;
  readonly settle = this.#settled.resolve;
  #program: StartedProgram | undefined;
  #why: { exitCode: number; message: string } | undefined;

  constructor(command: Command) {
    this.#command = command;
  }

  get pids(): number[] {
    const program = this.#program;
    return program && !program.isOver ? processesOf(program.pid) : [];
  }

  end(message: string, exitCode = KILLED_EXIT_CODE): void {
    this.#why ??= { exitCode, message };
    const program = this.#program;
    if (program && !program.isOver) void endTree(program.pid).catch(() => {});
  }

  async run({
    file,
    args,
    env,
  }: {
    file: string;
    args: string[];
    env: Record<string, string>;
  }): Promise<CommandResult> {
    const startedAt = performance.now();
    const { stdin, signal, timeoutMs } = this.#command;
    const program = await startProgram(file, args, { cwd: '/', env, hasInput: stdin !== undefined });
    this.#program = program;
    if (this.#why) this.end(this.#why.message);
    feed(program.stdin, stdin);
    const stdout = new CollectedOutput(program.stdout, 'stdout', this.#command);
    const stderr = new CollectedOutput(program.stderr, 'stderr', this.#command);
    const late = () => this.end('The command took too long.', TIMEOUT_EXIT_CODE);
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', late, { once: true });
    if (signal?.aborted) late();
    try {
      const [{ code }] = await Promise.all([program.closed, stdout.until(), stderr.until()]);
      const why =
        this.#why ?? (code === null ? { exitCode: KILLED_EXIT_CODE, message: 'The command was ended.' } : undefined);
      if (why) await this.#command.onOutput?.('stderr', Buffer.from(`${why.message}\n`));
      return {
        exitCode: why?.exitCode ?? code ?? KILLED_EXIT_CODE,
        stdout: stdout.text,
        stderr: why ? `${why.message}\n${stderr.text}` : stderr.text,
        truncated: stdout.truncated || stderr.truncated,
        durationMs: Math.round(performance.now() - startedAt),
      };
    } catch (error) {
      // Whoever was told what it writes does not want it any more.
      this.end('The command was called off.');
      await program.closed;
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', late);
    }
  }
}
