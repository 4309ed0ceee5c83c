import type { WorkerProcess } from './worker-process.ts';

interface Room {
  leftBytes: number | undefined;
  /** The site's processes, and how much each has added since somebody last said how much there is. */
  grown: Map<WorkerProcess, number>;
}

const TOO_MUCH = 'The site has used up its storage, and went on writing.';

/** How much each site may still grow, for all its processes. Each counts by itself (worker/disk-room.ts); here is what they add up to. */
export class SiteRooms {
  readonly #rooms = new Map<string, Room>();
  readonly #onGrowth: (siteId: string, bytes: number) => void;

  constructor(onGrowth: (siteId: string, bytes: number) => void) {
    this.#onGrowth = onGrowth;
  }

  join(siteId: string, worker: WorkerProcess): void {
    const room = this.#rooms.get(siteId) ?? { leftBytes: undefined, grown: new Map() };
    this.#rooms.set(siteId, room);
    if (room.leftBytes !== undefined) worker.setRoom(room.leftBytes);
    if (room.grown.has(worker)) return;
    room.grown.set(worker, 0);
    worker.onGrew = (bytes) => {
      room.grown.set(worker, (room.grown.get(worker) ?? 0) + bytes);
      if (room.leftBytes !== undefined) room.leftBytes -= bytes;
      this.#onGrowth(siteId, bytes);
    };
    void worker.closed.then(() => {
      room.grown.delete(worker);
      if (room.grown.size === 0 && this.#rooms.get(siteId) === room) this.#rooms.delete(siteId);
    });
    this.#onGrowth(siteId, 0);
  }

  set(siteId: string, leftBytes: number): void {
    const room = this.#rooms.get(siteId);
    if (!room) return;
    room.leftBytes = leftBytes;
    for (const [worker, grown] of room.grown) {
      // One that is still at it knows nothing of what the others have added.
      if (leftBytes < 0 && grown > 0) worker.kill('crash', TOO_MUCH);
      else worker.setRoom(leftBytes);
      room.grown.set(worker, 0);
    }
  }
}
