export interface DiskRoomsOptions {
  usageBytes(siteId: string): Promise<number>;
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
/** Counting takes at most this part of the time. */
const COUNT_SHARE = 1 / 20;

interface Room {
  leftBytes: number;
  usedBytes: number | undefined;
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

  /** The site wakes. */
  join(siteId: string): void {
    this.#rooms.set(siteId, {
      leftBytes: FIRST_BYTES,
      usedBytes: undefined,
      countedAt: Number.NEGATIVE_INFINITY,
      tookMs: 0,
      isCounting: false,
    });
    this.#options.grew(siteId, 0);
  }

  leave(siteId: string): void {
    this.#rooms.delete(siteId);
  }

  set(siteId: string, leftBytes: number): void {
    const room = this.#rooms.get(siteId);
    if (room) room.leftBytes = leftBytes;
  }

  /** To be called now and then while the site is at work, and once after. */
  look(siteId: string): void {
    const room = this.#rooms.get(siteId);
    if (!room || room.isCounting) return;
    if (performance.now() - room.countedAt < Math.max(COUNT_MS, room.tookMs / COUNT_SHARE)) return;
    room.isCounting = true;
    void this.#count(siteId, room).finally(() => {
      room.isCounting = false;
    });
  }

  async #count(siteId: string, room: Room): Promise<void> {
    const startedAt = performance.now();
    // What can not be counted, because it is hidden or too deep, may not be added to.
    const usedBytes = await this.#options.usageBytes(siteId).catch(() => Number.POSITIVE_INFINITY);
    room.countedAt = performance.now();
    room.tookMs = room.countedAt - startedAt;
    if (this.#rooms.get(siteId) !== room) return;
    const bytes = room.usedBytes === undefined ? 0 : usedBytes - room.usedBytes;
    room.usedBytes = usedBytes;
    room.leftBytes -= bytes;
    if (room.leftBytes < -BEYOND_BYTES && bytes > 0) this.#options.end(siteId);
    if (bytes !== 0 && Number.isFinite(bytes)) this.#options.grew(siteId, bytes);
  }
}
