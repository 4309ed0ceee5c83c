import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
/** After this an orderly end hangs. A kill is safe as well: the next start recovers from the logs. */
const STOP_MS = 60_000;

export interface RunningServer {
  pid: number;
  alive(): boolean;
}

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

export async function end(server: RunningServer): Promise<void> {
  const startedAt = performance.now();
  signal(server.pid, 'SIGTERM');
  let escalated = false;
  while (server.alive()) {
    if (!escalated && performance.now() - startedAt > STOP_MS) {
      escalated = true;
      signal(server.pid, 'SIGKILL');
    }
    await sleep(POLL_MS);
  }
}

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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It may end between our look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
