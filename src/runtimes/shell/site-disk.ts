import { pauseTree, resumeTree } from '#sandbox/ending.ts';
import { heldBytes } from '#sandbox/held-files.ts';
import { processesOf } from '#sandbox/processes.ts';

/** What a program may do to the disk, as known before it starts. */
export interface DiskRoom {
  startBytes: number;
  /** Of the whole disk, then. */
  freeBytes: number;
  /** What the site may take up in all. */
  limitBytes: number;
  /** How large any one file may become: the kernel holds that, however fast it is written. Nothing where there is no room: then files can be deleted alone. */
  fileBytes: number;
}

/** A program that works on a site. */
export interface Watched {
  room: DiskRoom;
  /** Of the sandbox; nobody where none has been spawned, or where it has ended. */
  pid(): number | undefined;
  /** To end it, with a sentence for whoever sits there. */
  tell(message: string): void;
  /** Whether it takes too much of what is no part of the site. */
  isTooLarge?(): Promise<boolean>;
}

interface Sources {
  usageBytes(): Promise<number>;
  freeBytes(): Promise<number>;
  device(): Promise<number>;
}

const NO_ROOM = 'The site has no room left on its disk, and the command was ended.';
const UNCOUNTED = 'The files of the site can not be counted, and the command was ended.';
const HOST_FULL = 'The disk of this machine is nearly full, and the command was ended.';
const COUNT_MS = 2_000;
/** Counting takes at most this part of the time, and this one where the disk fills. */
const COUNT_SHARE = 1 / 20;
const URGENT_SHARE = 1 / 4;
/** A site of very many files could else write freely between two counts. */
const LONGEST_WAIT_MS = 30_000;
/** What else is written on this machine need not concern anybody. */
const LEAST_FALL_BYTES = 4 * 1024 * 1024;

/** What one site takes up while somebody works in it. */
export class SiteDisk {
  readonly #watched = new Set<Watched>();
  readonly #told = new WeakSet<Watched>();
  readonly #sources: Sources;
  #bytes = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** Of all sites, before it was counted. */
  #freeBytes = 0;
  /** At the last count. */
  #grew = true;
  #counting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  add(watched: Watched): void {
    if (this.#watched.size === 0) {
      this.#bytes = watched.room.startBytes;
      this.#freeBytes = watched.room.freeBytes;
      this.#later();
    }
    this.#watched.add(watched);
  }

  /** Whether it was the last one. */
  remove(watched: Watched): boolean {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return false;
    clearTimeout(this.#timer);
    return true;
  }

  /** Infinite where it can not be told. */
  async recentBytes(withinMs: number): Promise<number> {
    if (performance.now() - this.#countedAt > withinMs) await this.#count();
    return this.#bytes;
  }

  look(freeBytes: number): void {
    if (this.#counting) return;
    const fell = this.#freeBytes - freeBytes;
    const left = Math.max(0, Math.min(...[...this.#watched].map(({ room }) => room.limitBytes)) - this.#bytes);
    if (fell < Math.max(LEAST_FALL_BYTES, left / 2)) return;
    const restedMs = performance.now() - this.#countedAt;
    // Whoever may have gone beyond the limit waits until that is known.
    // Where it is others who write, that is known after one count, and it is not stopped for them again and again.
    const hasRested = restedMs > this.#tookMs / URGENT_SHARE;
    if (fell >= left && (hasRested || this.#grew)) void this.#countPaused();
    else if (hasRested) void this.#count();
  }

  /** The platform itself is short of room: whoever took some ends. */
  async endGrown(): Promise<void> {
    await this.#countPaused();
    for (const each of [...this.#watched])
      if (this.#bytes > each.room.startBytes + LEAST_FALL_BYTES) each.tell(HOST_FULL);
  }

  /** All that can write, at once. Who was told already needs a moment to end, and is not told with every look. */
  endAll(): void {
    for (const each of [...this.#watched]) {
      if (each.room.fileBytes === 0 || this.#told.has(each)) continue;
      this.#told.add(each);
      each.tell(HOST_FULL);
    }
  }

  async #countPaused(): Promise<void> {
    const pids = this.#pids();
    for (const pid of pids) pauseTree(pid);
    try {
      // One that had begun before may have seen less.
      await this.#counting;
      await this.#count();
    } finally {
      for (const pid of pids) resumeTree(pid);
    }
  }

  #count(): Promise<void> {
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countNow(): Promise<void> {
    const startedAt = performance.now();
    try {
      this.#freeBytes = await this.#sources.freeBytes();
      const device = await this.#sources.device();
      const held = await heldBytes(this.#pids().flatMap(processesOf), device);
      const bytes = held + (await this.#sources.usageBytes());
      this.#grew = bytes > this.#bytes;
      this.#bytes = bytes;
    } catch (error) {
      // What is hidden or too deep can not be counted, and may not be added to. Whatever else fails is looked at again.
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['EACCES', 'ENAMETOOLONG'].includes(code)) this.#bytes = Number.POSITIVE_INFINITY;
    }
    for (const each of [...this.#watched]) await this.#judge(each);
    this.#countedAt = performance.now();
    this.#tookMs = this.#countedAt - startedAt;
  }

  async #judge(each: Watched): Promise<void> {
    if (this.#bytes === Number.POSITIVE_INFINITY && each.room.fileBytes > 0) each.tell(UNCOUNTED);
    else if (this.#bytes > each.room.limitBytes || (await each.isTooLarge?.())) each.tell(NO_ROOM);
  }

  #pids(): number[] {
    return [...this.#watched].map((each) => each.pid() ?? 0).filter((pid) => pid > 0);
  }

  #later(): void {
    const waitMs = Math.min(Math.max(COUNT_MS, this.#tookMs / COUNT_SHARE), LONGEST_WAIT_MS);
    this.#timer = setTimeout(async () => {
      await this.#count();
      if (this.#watched.size > 0) this.#later();
    }, waitMs).unref();
  }
}
