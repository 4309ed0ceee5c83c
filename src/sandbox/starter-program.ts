import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { passOn } from './kept-output.ts';
import { type FromStarter, headOf, INPUT, OUTPUTS, type StartWish, type ToStarter } from './starter-messages.ts';

/**
 * Starts programs for the service, which is large: the kernel copies the tables of all its memory when it starts something itself, 46 ms at 500 MB
 * during which nobody is answered. This process stays small. Each stream of a program is a connection to the service; where that wants no more than
 * the first part of an output, the rest is read here. It ends with the service, and what it started with it.
 */
let service = '';
const say = (message: FromStarter) => process.send?.(message);

async function start({ id, file, args, env, streams, keptBytes }: StartWish): Promise<void> {
  const sockets = new Map<number, Socket>();
  try {
    await Promise.all(streams.map(async (stream) => sockets.set(stream, await dial(headOf(id, stream)))));
    const isPassedOn = (stream: number) => keptBytes !== undefined && OUTPUTS.includes(stream);
    const stdio = [INPUT, ...OUTPUTS].map((stream) =>
      isPassedOn(stream) ? 'pipe' : (sockets.get(stream) ?? 'ignore'),
    );
    const child = spawn(file, args, { cwd: '/', env, detached: true, stdio });
    tell(id, child);
    const flooded = () => say({ id, type: 'flooded' });
    for (const stream of OUTPUTS) {
      const [from, to] = [child.stdio[stream], sockets.get(stream)];
      if (!isPassedOn(stream) || !from || !to) continue;
      sockets.delete(stream);
      passOn(from as Readable, to.resume(), keptBytes ?? 0, flooded);
    }
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
    socket.once('error', reject).write(head, () => resolve(socket.off('error', reject).on('error', () => {})));
  });
}

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToStarter) => {
  if (message.type === 'listen') service = message.socket;
  else void start(message);
});
