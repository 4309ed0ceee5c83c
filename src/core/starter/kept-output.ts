import type { Readable, Writable } from 'node:stream';
import { DROPPED_BYTES_PER_MS, SHORTEST_REST_MS } from './pace.ts';

/** What nobody gets is read for so long, so that a program which says too much may end by itself. */
const FLOOD_BYTES = 32 * 1024 * 1024;

/** Passes on the first bytes of an output, as fast as they are taken, and reads the rest, so that the program does not wait for ever. */
export function passOn(from: Readable, to: Writable, keptBytes: number, flooded: () => void): void {
  let room = keptBytes;
  let droppedBytes = 0;
  let owedMs = 0;
  const rest = (bytes: number) => {
    const wasFlood = droppedBytes > FLOOD_BYTES;
    droppedBytes += bytes;
    if (!wasFlood && droppedBytes > FLOOD_BYTES) flooded();
    owedMs += bytes / DROPPED_BYTES_PER_MS;
    if (owedMs < SHORTEST_REST_MS) return;
    from.pause();
    setTimeout(() => from.resume(), owedMs);
    owedMs = 0;
  };
  from.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, room);
    room -= kept.length;
    if (kept.length < chunk.length) rest(chunk.length - kept.length);
    if (kept.length === 0 || to.write(kept)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  const end = () => to.end();
  from.once('end', end).once('error', end);
  // Whoever wanted it is gone: what is written from then on is for nobody.
  to.once('error', () => {
    room = 0;
    from.resume();
  });
}
