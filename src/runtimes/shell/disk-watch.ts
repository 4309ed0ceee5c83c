import { stat, statfs } from 'node:fs/promises';
import { type DiskRoom, SiteDisk, type Watched } from './site-disk.ts';

/** What the disk of all sites has left. */
interface Free {
  bytes: number;
  allBytes: number;
  /** Files that can still be made; some file systems do not say. */
  names: number;
}

export interface DiskWatchOptions {
  /** Where the sites are. */
  folder: string;
  usageBytes(siteId: string): Promise<number>;
  free?: () => Promise<Free>;
}

/** The place of one program among those that work on a site. */
export interface DiskSeat {
  room: DiskRoom;
  /** Tells when it has to end, with a sentence for whoever sits there. Returns how to stop watching. */
  watch(program: Omit<Watched, 'room'>): () => void;
}

export const DELETE_ONLY = 'There is no room left on the disk: files can be deleted here, and none be written.';

const LARGEST_FILE = 2 * 1024 * 1024 * 1024;
/** A look at what is free costs next to nothing; counting a site does not. */
const LOOK_MS = 50;
/** So long what was counted holds for a program that comes to others. */
const RECENT_MS = 1_000;
/** What the platform keeps for itself, its database above all. */
const RESERVE = { part: 0.05, mostBytes: 2 * 1024 * 1024 * 1024, names: 10_000 };
/** No single file takes more of what is left for all. */
const PART_OF_FREE = 1 / 4;
/** While the platform is short of room, all are counted so often. */
const SHORT_COUNT_MS = 2_000;
/** One who can write no byte may still make names, and others write to the site meanwhile. */
const GRACE_BYTES = 64 * 1024 * 1024;

/**
 * The disk while people work in sites. A site is counted by and by; between two counts what all of the disk has left is looked at, and a site is counted
 * at once where that fell by half of what it has left. One who writes faster than that is stopped until it is counted.
 */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #sites = new Map<string, SiteDisk>();
  #clock: NodeJS.Timeout | undefined;
  #isLooking = false;
  #device: number | undefined;
  #shortAt = Number.NEGATIVE_INFINITY;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** `maxBytes`: what the plan leaves the site, with what it has. Infinite where nobody says. */
  async seat(siteId: string, maxBytes = Number.POSITIVE_INFINITY): Promise<DiskSeat> {
    const room = await this.#roomFor(siteId, maxBytes);
    return { room, watch: (program) => this.#watch(siteId, { ...program, room }) };
  }

  async #roomFor(siteId: string, maxBytes: number): Promise<DiskRoom> {
    const free = await this.#free();
    const startBytes = await this.#knownBytes(siteId);
    const leftForAll = isShortOfNames(free) ? 0 : (free.bytes - reserveOf(free)) * PART_OF_FREE;
    const fileBytes = Math.max(0, Math.floor(Math.min(LARGEST_FILE, leftForAll, maxBytes - startBytes)));
    const limitBytes = startBytes < maxBytes ? maxBytes : startBytes + GRACE_BYTES;
    return { startBytes, limitBytes, fileBytes, freeBytes: free.bytes };
  }

  #watch(siteId: string, watched: Watched): () => void {
    const site = this.#sites.get(siteId) ?? this.#make(siteId);
    site.add(watched);
    this.#clock ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    return () => {
      if (!site.remove(watched)) return;
      if (this.#sites.get(siteId) === site) this.#sites.delete(siteId);
      if (this.#sites.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #make(siteId: string): SiteDisk {
    const made = new SiteDisk({
      usageBytes: () => this.#options.usageBytes(siteId),
      freeBytes: async () => (await this.#free()).bytes,
      device: () => this.#deviceOf(),
    });
    this.#sites.set(siteId, made);
    return made;
  }

  /** Infinite where it can not be told: what nobody can count, nobody may add to. */
  async #knownBytes(siteId: string): Promise<number> {
    const site = this.#sites.get(siteId);
    if (site) return site.recentBytes(RECENT_MS);
    return this.#options.usageBytes(siteId).catch(() => Number.POSITIVE_INFINITY);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const free = await this.#free();
      const isShort = free.bytes < reserveOf(free) || isShortOfNames(free);
      const isDire = free.bytes < reserveOf(free) / 2;
      const isDue = isShort && performance.now() - this.#shortAt > SHORT_COUNT_MS;
      if (isDue) this.#shortAt = performance.now();
      for (const site of this.#sites.values()) {
        if (isDire) site.endAll();
        else if (isDue) void site.endGrown();
        else site.look(free.bytes);
      }
    } catch {
      // The next look is a moment away, and the sites are counted all the same.
    } finally {
      this.#isLooking = false;
    }
  }

  async #free(): Promise<Free> {
    if (this.#options.free) return this.#options.free();
    const { bavail, bsize, blocks, files, ffree } = await statfs(this.#options.folder);
    const names = files === 0 ? Number.POSITIVE_INFINITY : ffree;
    return { bytes: bavail * bsize, allBytes: blocks * bsize, names };
  }

  async #deviceOf(): Promise<number> {
    this.#device ??= (await stat(this.#options.folder)).dev;
    return this.#device;
  }
}

function reserveOf({ allBytes }: Free): number {
  return Math.min(allBytes * RESERVE.part, RESERVE.mostBytes);
}

function isShortOfNames({ names }: Free): boolean {
  return names < RESERVE.names;
}
