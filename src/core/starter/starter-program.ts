import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { endGroup } from './end-group.ts';
import { passOn } from './kept-output.ts';
import { SPAWNED_BY, type Told, type Wish } from './messages.ts';

/** Spawns what the service wishes (starter.ts). Its argument is the socket that streams are handed over at. */
const path = process.argv[2] as string;
const running = new Set<number>();

const tell = (told: Told) => process.connected && process.send?.(told);

process.on('message', (wish: Wish) => void start(wish));
process.on('disconnect', () => {
  // The service is gone, maybe killed: what it started goes too, and nobody else would remove the socket.
  for (const pid of running) endGroup(pid);
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});

async function start({ id, file, args, cwd, env, streams, keptBytes, endsItself }: Wish): Promise<void> {
  const sockets: Socket[] = [];
  const passed = new Map<number, Socket>();
  try {
    const stdio: (Socket | 'ignore' | 'inherit' | 'pipe')[] = [];
    for (const stream of streams) {
      if (typeof stream === 'string') {
        stdio.push(stream);
        continue;
      }
      const socket = await open(stream.claim);
      sockets.push(socket);
      const isPassedOn = keptBytes !== undefined && stdio.length > 0;
      if (isPassedOn) passed.set(stdio.length, socket);
      stdio.push(isPassedOn ? 'pipe' : socket);
    }
    const own = SPAWNED_BY in env ? { ...env, [SPAWNED_BY]: String(process.pid) } : env;
    const child = spawn(file, [...args], { cwd, env: own, detached: true, stdio });
    child.once('error', (error) => fail(id, error));
    const { pid } = child;
    if (pid === undefined) return;
    if (!endsItself) running.add(pid);
    child.once('exit', (code, signal) => {
      running.delete(pid);
      tell({ id, exit: { code, signal } });
    });
    tell({ id, pid });
    for (const [number, to] of passed) {
      sockets.splice(sockets.indexOf(to), 1);
      passOn(child.stdio[number] as Readable, to.resume(), keptBytes ?? 0, () => tell({ id, flooded: true }));
    }
  } catch (error) {
    fail(id, error as NodeJS.ErrnoException);
  } finally {
    // Those of the program are its own.
    for (const socket of sockets) socket.destroy();
  }
}

async function open(claim: string): Promise<Socket> {
  // Paused before anything comes: what is written to the program is not ours to read.
  const socket = connect({ path, allowHalfOpen: true }).pause();
  await once(socket, 'connect');
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => socket.write(claim, (error) => (error ? reject(error) : resolve())));
  return socket;
}

function fail(id: number, { code, message }: NodeJS.ErrnoException): void {
  tell({ id, failure: { code, message } });
}
