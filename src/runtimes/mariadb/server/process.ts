import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { endServer, type RunningServer } from '#core/db/embedded/supervised.ts';

/** After this an orderly end hangs. */
const STOP_MS = 60_000;

/** The server that its pid file names. A pid alone proves nothing, so its command line must name this very folder. */
export function findServer(pidFile: string, cluster: string): (RunningServer & { command: string[] }) | undefined {
  let text: string;
  try {
    text = readFileSync(pidFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const pid = Number.parseInt(text, 10);
  const command = commandOf(pid);
  if (!command || !serves(command, cluster)) return undefined;
  return { pid, command, alive: () => serves(commandOf(pid) ?? [], cluster) };
}

export const end = (server: RunningServer) => endServer(server, ['SIGTERM', 'SIGKILL'], STOP_MS);

function serves(command: readonly string[], cluster: string): boolean {
  return basename(command[0] ?? '') === 'mariadbd' && command.includes(`--datadir=${cluster}`);
}

function commandOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return text === '' ? undefined : text.replace(/\0$/, '').split('\0');
  } catch {
    return undefined;
  }
}
