import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { CHANNEL, type FromStarter, headOf, type StartWish, type ToStarter } from './starter-messages.ts';

/**
 * Starts programs for the service, which is large: the kernel copies the tables of all its memory when it starts something itself, 46 ms at 500 MB
 * during which nobody is answered. This process stays small. Each stream of a program is a connection to the service, so nothing
 * that programs write passes through here. It ends with the service, and what it started with it.
 */
let service = '';
const say = (message: FromStarter) => process.send?.(message);

async function start({ id, file, args, env, cwd, streams }: StartWish): Promise<void> {
  const sockets = new Map<number, Socket>();
  try {
    await Promise.all(streams.map(async (stream) => sockets.set(stream, await dial(headOf(id, stream)))));
    const length = Math.max(CHANNEL, ...streams.map((stream) => stream + 1));
    const stdio = Array.from({ length }, (_, stream) => sockets.get(stream) ?? 'ignore');
    const channel = sockets.has(CHANNEL) && { NODE_CHANNEL_FD: String(CHANNEL) };
    tell(id, spawn(file, args, { cwd, env: { ...env, ...channel }, detached: true, stdio }));
  } catch (error) {
    say({ id, type: 'failed', message: (error as Error).message });
  } finally {
    // Ours alone; the program has its own.
    for (const socket of sockets.values()) socket.destroy();
  }
}

function tell(id: string, child: ChildProcess): void {
  child.once('error', ({ message }) => say({ id, type: 'failed', message }));
  child.once('exit', (code, signal) => say({ id, type: 'ended', code, signal }));
  if (child.pid !== undefined) say({ id, type: 'started', pid: child.pid });
}

function dial(head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(service);
    // What comes is for the program.
    socket.pause();
    socket.once('error', reject).write(head, () => resolve(socket));
  });
}

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToStarter) => {
  if (message.type === 'listen') service = message.socket;
  else void start(message);
});
