// SPDX-License-Identifier: GPL-2.0-or-later
import { join } from 'node:path';
import { FileLockManagerForPosix, loadNodeRuntime } from '@php-wasm/node';
import { type FileSystem, type MountOptions, PHP, setPhpIniEntries } from '@php-wasm/universal';
import { createSpawnHandler } from '@php-wasm/util';
import { DiskRoom } from './disk-room.ts';
import { DurableFiles } from './durable-files.ts';
import { fileSystemOf } from './forgotten-streams.ts';
import { HostFiles } from './host-files.ts';
import { intlExtension, mountLanguages } from './intl.ts';
import { REFUSED_CALLS } from './refused-calls.ts';
import { PATHS, type Settings, type SiteSettings } from './settings.ts';
import { withSystemCalls } from './system-calls.ts';

export interface Booted {
  php: PHP;
  fs: FileSystem;
  files: DurableFiles;
  room: DiskRoom;
}

/** The files of WordPress itself are one for all sites: whoever had a lock on one of them would keep others waiting. */
class OwnLocks extends FileLockManagerForPosix {
  readonly #files: DurableFiles;

  constructor(files: DurableFiles) {
    super();
    this.#files = files;
  }

  override lockWholeFile(path: string, operation: object): boolean {
    return this.#files.isOwn(path) && super.lockWholeFile(path, operation);
  }
}

export async function bootPhp(settings: Settings, sapi: 'fpm-fcgi' | 'cli'): Promise<Booted> {
  const files = new DurableFiles();
  const hostFiles = new HostFiles();
  const runtime = await loadNodeRuntime(settings.phpVersion, {
    extensions: [await intlExtension(settings.phpVersion)],
    // The locks are the operating system's, so that other processes on the same database see them.
    fileLockManager: new OwnLocks(files),
    emscriptenOptions: {
      processId: process.pid,
      // Not this process' own: what a command reads is asked for (input.ts), and nobody else reads anything.
      stdin: () => null,
      ...(await withSystemCalls(
        settings.phpVersion,
        {
          fd_sync: (descriptor) => files.sync(descriptor),
          __syscall_fdatasync: async (descriptor) => -(await files.sync(descriptor)),
        },
        { ...REFUSED_CALLS, ...hostFiles.guards },
      )),
    },
  });
  const php = new PHP(runtime);
  // Without a handler a shell_exec would wait for ever.
  await php.setSpawnHandler(
    createSpawnHandler(async (_command, api) => {
      api.notifySpawn();
      api.stderr('Programs can not be started here.\n');
      api.exit(127);
    }),
  );
  // Under any other name PHP leaves opcache off without a word.
  await php.setSapiName(sapi);
  await setPhpIniEntries(php, settings.ini);
  const fs = await fileSystemOf(php);
  hostFiles.attach(fs);
  for (const [path, root] of settings.shared) await mount(php, path, { root, isShared: true });
  await mountLanguages(php);
  files.attach(fs);
  const room = new DiskRoom();
  room.attach(fs);
  return { php, fs, files, room };
}

/** The same for every site, because PHP keeps it compiled. wp-cli looks for the last line, word for word. */
const WP_CONFIG = `<?php
require '/site/config-' . ($_SERVER['SITEYARD_CONFIG'] ?? getenv('SITEYARD_CONFIG')) . '.php';
defined('ABSPATH') || define('ABSPATH', '${PATHS.core}/');
require_once ABSPATH . 'wp-settings.php';
`;

/** Makes the folders of a site PHP's; returns how to take them away again. Without `files`, nothing in there has to last. */
export async function mountSite(
  php: PHP,
  settings: Settings,
  site: SiteSettings,
  files?: DurableFiles,
): Promise<() => Promise<void>> {
  if (site.owner !== undefined) become(site.owner);
  const unmounts: (() => unknown)[] = [];
  const mountOwn = async (path: string, name: string) => {
    const root = join(settings.slot, site.folder, name);
    unmounts.push(await mount(php, path, { root }));
    if (files) unmounts.push(files.keep(root));
  };
  await mountOwn(PATHS.content, 'content');
  await mountOwn(PATHS.database, 'database');
  // What an offline site leaves for the platform stays in PHP's own memory.
  if (site.isOffline) php.mkdirTree(PATHS.outbox);
  else await mountOwn(PATHS.outbox, 'outbox');
  const config = `/site/config-${site.configName}.php`;
  php.writeFile(config, site.config);
  php.writeFile(PATHS.config, WP_CONFIG);
  return async () => {
    for (const unmount of unmounts) await unmount();
    php.unlink(config);
  };
}

/** From now on this process is the site's and nobody else's: with its user it gives up the right to be any other. */
function become(uid: number): void {
  if (process.getuid?.() === uid) return;
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.getgid?.() !== uid) throw new Error('the process is still somebody else');
}

/**
 * Not php-wasm's own handler: it resolves links, and the site's folder is a link in the slot, since what may be opened
 * was settled before the site was known.
 */
async function mount(php: PHP, path: string, options: MountOptions): Promise<() => unknown> {
  php.mkdirTree(path);
  return php.mount(path, (_php, fs) => {
    fs.mount(fs.filesystems.NODEFS, options, path);
    return () => fs.unmount(path);
  });
}
