import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import type { Command, CommandResult, ShellKind, SiteSpec } from '#runtimes/runtime.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { DiskWatch } from './disk-watch.ts';
import { LimitedShell } from './limited-shell.ts';
import { SiteShells } from './site-shells.ts';
import { folderInside, runWatched, startingIn } from './watched-shell.ts';

export interface ShellOptions {
  dataDir: string;
  foldersOf(site: SiteSpec): { content: string; core: string };
  ownerOf(siteId: string): number | undefined;
  diskUsageBytes(siteId: string): Promise<number>;
  /** Makes the site's files those of its own user. */
  giveToOwner(siteId: string): void;
  /** Runs `wp` and `php` of a site. */
  exec(site: SiteSpec, command: Command): Promise<CommandResult>;
  log: Log;
}

/** The shell of a driver: bash in a sandbox where this machine has one, else an interpreter of ours. There is no real one without a sandbox, ever. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #limited: LimitedShell;
  /** Watches what those who work in sites write. */
  readonly disk: DiskWatch;
  /** Undefined where the machine has no sandbox. */
  sites: SiteShells | undefined;

  constructor(options: ShellOptions) {
    this.#options = options;
    const { foldersOf, ownerOf, giveToOwner, exec, dataDir } = options;
    this.disk = new DiskWatch({ folder: dataDir, usageBytes: (siteId) => options.diskUsageBytes(siteId) });
    this.#limited = new LimitedShell({ foldersOf, ownerOf, giveToOwner, exec, disk: this.disk });
  }

  /** With the sandbox that the site's PHP runs in too, where there is one. */
  async open(sandbox: Sandbox | undefined): Promise<void> {
    if (!sandbox) return;
    const { dataDir, ...options } = this.#options;
    this.sites = new SiteShells({ ...options, sandbox, runFolder: join(dataDir, 'shells') });
    await this.sites.open();
  }

  /** Where a site's content is on this machine. */
  contentOf(site: SiteSpec): string {
    return this.#options.foldersOf(site).content;
  }

  get kind(): ShellKind {
    return this.sites ? 'bash' : 'limited';
  }

  /** `requireOpen` throws where something else has the site by now. */
  async run(site: SiteSpec, command: Command, requireOpen: () => unknown): Promise<CommandResult> {
    const shells = this.sites;
    if (!shells) return this.#limited.run(site, command);
    const { args, token } = startingIn(folderInside(command.cwd), command.args);
    const seat = await this.disk.seat(site.id, command.maxDiskBytes);
    const limits = { fileBytes: seat.room.fileBytes };
    const entry = await shells.enter(site, { args, cwd: '/', limits, ...(command.env && { env: command.env }) });
    try {
      requireOpen();
    } catch (error) {
      await entry.leave();
      throw error;
    }
    return runWatched(entry, token, command, seat);
  }

  async end(siteId: string): Promise<void> {
    await Promise.all([this.sites?.end(siteId), this.#limited.end(siteId)]);
  }

  async endOrphans(): Promise<void> {
    await this.sites?.endOrphans();
  }

  async close(): Promise<void> {
    this.disk.close();
    await this.#limited.close();
    await this.sites?.close();
  }
}
