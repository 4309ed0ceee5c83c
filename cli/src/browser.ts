import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Cli } from './cli.ts';

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ['open'], win32: ['explorer'] };

/** False where there is no browser to be had, and for what is no page: an address may name any program of this machine. */
export async function openInBrowser({ env }: Cli, url: string): Promise<boolean> {
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) return false;
  const openers = env.BROWSER
    ? [env.BROWSER]
    : (OPENERS[process.platform] ?? (env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', 'wslview'] : ['wslview']));
  const opener = openers.find(
    (name) => name.includes('/') || (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name))),
  );
  if (!opener) return false;
  const { spawn } = await import('node:child_process');
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return true;
}

/** Opens it where somebody looks at a screen, and says where it is either way. */
export async function openOrPrint(cli: Cli, url: string, print: boolean | undefined): Promise<void> {
  if (!print && cli.screen.isTerminal && (await openInBrowser(cli, url))) cli.screen.note(`Opened ${url}`);
  else cli.screen.print(url);
}
