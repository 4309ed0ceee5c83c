// SPDX-License-Identifier: GPL-2.0-or-later
import type { NetworkGuard } from './network-guard.ts';
import { openOwnWay } from './own-calls.ts';
import { type Booted, mountSite } from './php.ts';
import { type FromParent, PATHS, type Settings, tell } from './settings.ts';

/** Runs one PHP program on a site, as `php` or `wp` would in a shell, and ends. */
export function run({ php, files }: Booted, settings: Settings, network: NetworkGuard): void {
  process.once('message', async (message: FromParent) => {
    if (message.type !== 'run') return;
    if (message.site.isOffline) network.cut();
    await mountSite(php, settings, message.site, files);
    await openOwnWay(php, network, message.site);
    php.chdir(PATHS.core);
    php.mkdirTree('/home/web_user');
    const env = {
      HOME: '/home/web_user',
      COLUMNS: '120',
      ...message.env,
      SITEYARD_CONFIG: message.site.configName,
    };
    const result = await php.cli(['php', ...message.args], { env });
    const pipe = async (from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream) => {
      for await (const chunk of from) if (!to.write(chunk)) await new Promise((resume) => to.once('drain', resume));
    };
    await Promise.all([pipe(result.stdout, process.stdout), pipe(result.stderr, process.stderr)]);
    const code = await result.exitCode;
    await files.syncAll();
    tell({ type: 'exit', code });
    process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
  });
  tell({ type: 'booted' });
}
