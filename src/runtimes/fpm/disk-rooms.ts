export interface DiskRoomsOptions {
  usageBytes(siteId: string): Promise<number>;
  /** What its processes have on the disk beside that: files that no name leads to any more, and such that are no part of the site. */
  heldBytes(siteId: string): Promise<number>;
  /** It grew by so much, or shrank; 0 where it has just woken, and it is to be said how much there is. */
  grew(siteId: string, bytes: number): void;
  /** Ends what runs of it. */
  end(siteId: string): void;
}

/** Until somebody says how much there is. */
const FIRST_BYTES = 64 * 1024 * 1024;
/** What a site that has no room left may add all the same, in its database: its owner can still come in and delete something. */
const BEYOND_BYTES = 16 * 1024 * 1024;
const COUNT_MS = 2_000;
/** A site that has so much room that no disk is quick enough to fill it meanwhile is counted less often, but still once after it was at work. */
const COUNT_WITH_ROOM_MS = 6_000;
const FASTEST_DISK_BYTES_PER_MS = 2 * 1024 * 1024;
const LOOK_MS = 1_000;
/** What could so often not be counted, because it is hidden or too deep, may not be added to. */
const FAILURES_LIMIT = 3;
/** Counting takes at most this part of the time. */
const COUNT_SHARE = 1 / 20;

interface Room {
  /** How many want it: the site that is awake, and each command. */
  users: number;
  leftBytes: number;
  usedBytes: number | undefined;
  heldBytes: number;
  failures: number;
  countedAt: number;
  tookMs: number;
  isCounting: boolean;
}

/**
 * How much each awake site may still grow. Native PHP writes to the disk past us, so that it is counted while the site is at work: one that goes
 * on where there is no room is ended. Uploads are refused before (plugin/uploads.php), and no file is larger than the kernel lets it be.
 */
export class DiskRooms {
  readonly #options: DiskRoomsOptions;
  readonly #rooms = new Map<string, Room>();

  constructor(options: DiskRoomsOptions) {
    this.#options = options;
  }

  /** The site wakes, or a command begins. */
  join(siteId: string): void {
    const room = this.#rooms.get(siteId);
    if (room) {
      room.users++;
      return;
    }
    this.#rooms.set(siteId, {
      users: 1,
      leftBytes: FIRST_BYTES,
      usedBytes: undefined,
      heldBytes: 0,
      failures: 0,
      countedAt: Number.NEGATIVE_INFINITY,
      tookMs: 0,
      isCounting: false,
    });
    this.#options.grew(siteId, 0);
  }

  leave(siteId: string): void {
    const room = this.#rooms.get(siteId);
    if (room && --room.users === 0) this.#rooms.delete(siteId);
  }

  /** Looks as long as a command of the site runs. */
  async during<T>(siteId: string, run: () => Promise<T>): Promise<T> {
    this.join(siteId);
    this.look(siteId);
    const timer = setInterval(() => this.look(siteId), LOOK_MS).unref();
    try {
      return await run();
    } finally {
      clearInterval(timer);
      this.leave(siteId);
    }
  }

  set(siteId: string, leftBytes: number): void {
    const room = this.#rooms.get(siteId);
    if (room) room.leftBytes = leftBytes;
  }

  /** To be called now and then while the site is at work, and once after. */
  look(siteId: string): void {
    const room = this.#rooms.get(siteId);
    if (!room || room.isCounting) return;
    if (performance.now() - room.countedAt < pauseMs(room)) return;
    room.isCounting = true;
    void this.#count(siteId, room).finally(() => {
      room.isCounting = false;
    });
  }

  async #count(siteId: string, room: Room): Promise<void> {
    const startedAt = performance.now();
    const found = await this.#bytesOf(siteId);
    room.countedAt = performance.now();
    room.tookMs = room.countedAt - startedAt;
    if (this.#rooms.get(siteId) !== room) return;
    if (!found) {
      if (++room.failures >= FAILURES_LIMIT) this.#options.end(siteId);
      return;
    }
    const bytes = room.usedBytes === undefined ? 0 : found.usedBytes - room.usedBytes;
    const isMore = bytes + found.heldBytes - room.heldBytes > 0;
    Object.assign(room, found, { failures: 0 });
    room.leftBytes -= bytes;
    if (room.leftBytes - room.heldBytes < -BEYOND_BYTES && isMore) this.#options.end(siteId);
    if (bytes !== 0) this.#options.grew(siteId, bytes);
  }

  async #bytesOf(siteId: string): Promise<{ usedBytes: number; heldBytes: number } | undefined> {
    try {
      const usedBytes = await this.#options.usageBytes(siteId);
      const heldBytes = await this.#options.heldBytes(siteId);
      return Number.isFinite(usedBytes + heldBytes) ? { usedBytes, heldBytes } : undefined;
    } catch {
      return undefined;
    }
  }
}

function pauseMs({ leftBytes, heldBytes, tookMs }: Room): number {
  const safeMs = Math.min(COUNT_WITH_ROOM_MS, (leftBytes - heldBytes) / FASTEST_DISK_BYTES_PER_MS);
  return Math.max(COUNT_MS, safeMs, tookMs / COUNT_SHARE);
}
