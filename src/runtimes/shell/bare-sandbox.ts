import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { Sandbox, type Spawn } from '#sandbox/sandbox.ts';

/** A sandbox with the site's content and nothing else of the platform's in it. */
export class BareSandbox {
  readonly #folder: string;
  readonly #contentOf: (siteId: string) => string;
  #sandbox: Promise<Sandbox | { missing: string }> | undefined;

  constructor(folder: string, contentOf: (siteId: string) => string) {
    this.#folder = folder;
    this.#contentOf = contentOf;
  }

  async enter(
    site: SiteSpec,
    { args, env = {} }: { args: readonly string[]; env?: Record<string, string> },
  ): Promise<{ spawn: Spawn; leave(): Promise<void> }> {
    this.#sandbox ??= Sandbox.find('root');
    const sandbox = await this.#sandbox;
    if ('missing' in sandbox) throw new SiteFailure('start', `There is no sandbox here: ${sandbox.missing}`);
    const folder = join(this.#folder, randomUUID());
    await mkdir(folder, { recursive: true });
    const content = '/site/wordpress/wp-content';
    const room = sandbox.room({
      folder: join(folder, 'room'),
      shown: [{ from: this.#contentOf(site.id), at: content, isWritable: true }],
      tmpBytes: 64 * 1024 * 1024,
      hasNetwork: false,
    });
    const spawn = sandbox.enter({ room, list: join(folder, 'mounts'), args, cwd: content, env, processes: 128 });
    return { spawn, leave: () => rm(folder, { recursive: true, force: true }) };
  }
}
