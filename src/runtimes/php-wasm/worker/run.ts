// SPDX-License-Identifier: GPL-2.0-or-later
import type { StreamedResponse } from '@php-wasm/universal';
import { closeForgotten, keptPorts } from './forgotten-streams.ts';
import { Input } from './input.ts';
import type { NetworkGuard } from './network-guard.ts';
import { openOwnWay } from './own-calls.ts';
import { type Booted, mountSite } from './php.ts';
import { type FromParent, PATHS, type Settings, tell } from './settings.ts';

type Run = Extract<FromParent, { type: 'run' }>;

const HOME = '/home/web_user';

/**
 * Runs commands of one site, one after another. `php` is PHP's own way to run a program, once. `wp` runs wp-cli as PHP answers requests: each
 * starts from nothing, but for the programs that PHP has compiled by then, which is most of what a command costs.
 */
export function run({ php, fs, files, room }: Booted, settings: Settings, network: NetworkGuard): void {
  const input = new Input();
  let isMounted = false;

  const start = ({ args, cwd, env: wished, site }: Run): Promise<StreamedResponse> => {
    const env = { HOME, COLUMNS: '120', ...wished, SITEYARD_CONFIG: site.configName };
    if (settings.mode === 'run') {
      php.chdir(php.isDir(cwd) ? cwd : PATHS.core);
      return php.cli(['php', ...args], { env });
    }
    return php.runStream({
      scriptPath: '/site/platform/wp-cli/run.php',
      relativeUri: '/',
      headers: {},
      $_SERVER: { SITEYARD_WISH: JSON.stringify({ args, cwd, env }) },
    });
  };

  const perform = async (message: Run) => {
    if (message.site.isOffline) network.cut();
    if (!isMounted) {
      await mountSite(php, settings, message.site, files);
      await openOwnWay(php, network, message.site);
      php.mkdirTree(HOME);
      isMounted = true;
    }
    input.renew();
    input.attach(fs);
    const result = await start(message);
    await Promise.all([pipe(result.stdout, process.stdout), pipe(result.stderr, process.stderr)]);
    const code = await result.exitCode;
    closeForgotten(fs);
    network.letGo(keptPorts(fs));
    await files.syncAll();
    room.report();
    tell({ type: 'exit', code, ...written() });
    if (settings.mode === 'run') process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
  };

  let turn: Promise<unknown> = Promise.resolve();
  process.on('message', (message: FromParent) => {
    if (message.type === 'room') room.set(message.bytes, message.beyondBytes);
    if (message.type !== 'run') return;
    turn = turn
      .then(() => perform(message))
      .catch((error) => {
        // PHP itself broke, and whatever it does next can not be trusted.
        console.error(error);
        process.exit(255);
      });
  });
  tell({ type: 'booted' });
}

async function pipe(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<void> {
  for await (const chunk of from) if (!to.write(chunk)) await new Promise((resume) => to.once('drain', resume));
}

/** How much has left this process, so that whoever reads it knows when there is no more to come. */
function written(): { stdoutBytes: number; stderrBytes: number } {
  return { stdoutBytes: process.stdout.bytesWritten, stderrBytes: process.stderr.bytesWritten };
}
