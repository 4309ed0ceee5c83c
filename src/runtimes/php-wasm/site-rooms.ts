import type { WorkerProcess } from './worker-process.ts';

/** Until somebody says how much there is. */
const FIRST_BYTES = 64 * 1024 * 1024;
/** What a site that has no room left may add in a day all the same, in its database: its owner can still come in and delete something. */
const BEYOND_BYTES = 16 * 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;
/** So many sites without a process are remembered. */
const MAX_IDLE = 10_000;

type Worker = Pick<WorkerProcess, 'setRoom' | 'kill' | 'closed' | 'onGrew'>;

interface Room {
  leftBytes: number;
  /** What came though there was no room. */
  beyond: { bytes: number; sinceMs: number };
  /** The site's processes, and how much each has added since somebody last said how much there is; less than nothing where it deleted. */
  grown: Map<Worker, number>;
}

const TOO_MUCH = 'The site has used up its storage, and went on writing.';

/**
 * How much each site may still grow, for all its processes, also those to come. Each counts by itself (worker/disk-room.ts); here is what they
 * add up to. A process in the midst of a request does not hear of the others: one that goes on is ended.
 */
export class SiteRooms {
  readonly #rooms = new Map<string, Room>();
  readonly #onGrowth: (siteId: string, bytes: number) => void;

  constructor(onGrowth: (siteId: string, bytes: number) => void) {
    this.#onGrowth = onGrowth;
  }

  /** Before it is given the site, so that it knows when it begins. */
  join(siteId: string, worker: Worker): void {
    const room = this.#rooms.get(siteId) ?? { leftBytes: FIRST_BYTES, beyond: newBeyond(), grown: new Map() };
    this.#keep(siteId, room);
    tellRoom(room, worker);
    if (room.grown.has(worker)) return;
    room.grown.set(worker, 0);
    worker.onGrew = (bytes) => this.#grew(siteId, room, worker, bytes);
    void worker.closed.then(() => room.grown.delete(worker));
    this.#onGrowth(siteId, 0);
  }

  set(siteId: string, leftBytes: number): void {
    const room = this.#rooms.get(siteId);
    if (!room) return;
    room.leftBytes = leftBytes;
    if (leftBytes >= 0 || Date.now() - room.beyond.sinceMs > DAY_MS) room.beyond = newBeyond();
    for (const worker of room.grown.keys()) {
      room.grown.set(worker, 0);
      tellRoom(room, worker);
    }
  }

  #grew(siteId: string, room: Room, worker: Worker, bytes: number): void {
    const grown = (room.grown.get(worker) ?? 0) + bytes;
    room.grown.set(worker, grown);
    room.leftBytes -= bytes;
    if (room.leftBytes < 0) room.beyond.bytes = Math.max(0, room.beyond.bytes + Math.min(bytes, -room.leftBytes));
    if (room.beyond.bytes > BEYOND_BYTES && grown > 0) worker.kill('crash', TOO_MUCH);
    for (const each of room.grown.keys()) tellRoom(room, each);
    this.#onGrowth(siteId, bytes);
  }

  /** As the one that was last in use. */
  #keep(siteId: string, room: Room): void {
    this.#rooms.delete(siteId);
    this.#rooms.set(siteId, room);
    if (this.#rooms.size <= MAX_IDLE) return;
    for (const [id, { grown }] of this.#rooms) {
      if (grown.size > 0 || id === siteId) continue;
      this.#rooms.delete(id);
      return;
    }
  }
}

const newBeyond = () => ({ bytes: 0, sinceMs: Date.now() });

function tellRoom({ leftBytes, beyond }: Room, worker: Worker): void {
  worker.setRoom(leftBytes, Math.max(0, BEYOND_BYTES - beyond.bytes));
}
