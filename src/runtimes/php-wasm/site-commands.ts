import type { Socket } from 'node:net';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import { runCommand } from './commands.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { WorkerProcess, WorkerSite } from './worker-process.ts';

export interface SiteCommandsOptions {
  pool: WorkerPool;
  folderOf(siteId: string): string;
  workerSite(site: SiteSpec): WorkerSite;
  /** A process is the site's from now on. */
  assigned(siteId: string, worker: WorkerProcess): void;
  ownCall(siteId: string, connection: Socket): void;
  /** Some work has the site to itself. */
  isSuspended(siteId: string): boolean;
}

/** The commands that run in sites, each in a process that may run the site's next one. */
export class SiteCommands {
  readonly #options: SiteCommandsOptions;
  /** Those that run, by site. */
  readonly #running = new Map<string, Set<WorkerProcess>>();

  constructor(options: SiteCommandsOptions) {
    this.#options = options;
  }

  /** `requireOpen` fails where the site may not be touched: some work may have taken it while the worker started. */
  async run(site: SiteSpec, command: Command, requireOpen: () => void): Promise<CommandResult> {
    const { pool, folderOf, workerSite, assigned, ownCall, isSuspended } = this.#options;
    const fingerprint = JSON.stringify(site);
    const mode = command.args[0] === 'wp' ? 'wp' : 'run';
    const kept = mode === 'wp' ? pool.runners.take(site.id, fingerprint) : undefined;
    const worker = kept ?? (await pool.runner(site.team, site.coreVersion, mode, command.signal));
    const running = this.#running.get(site.id) ?? new Set();
    this.#running.set(site.id, running.add(worker));
    const settled = command.asHolder ? () => {} : pool.mayEnd(worker, site.team);
    try {
      requireOpen();
      assigned(site.id, worker);
      const own = workerSite(site);
      return await runCommand(worker, folderOf(site.id), own, command, (connection) => ownCall(site.id, connection));
    } finally {
      settled();
      running.delete(worker);
      const isOpen = !command.asHolder && !isSuspended(site.id);
      if (mode === 'wp' && isOpen) pool.runners.keep(site.id, fingerprint, worker);
      else worker.kill('stopped', 'The command is over.');
      if (running.size === 0 && this.#running.get(site.id) === running) this.#running.delete(site.id);
    }
  }

  /** Ends all that run of a site; resolves when they are gone. */
  async end(siteId: string): Promise<void> {
    const running = [...(this.#running.get(siteId) ?? [])];
    for (const worker of running) worker.kill('stopped', 'The site is being worked on.');
    await Promise.all(running.map(({ closed }) => closed));
  }
}
