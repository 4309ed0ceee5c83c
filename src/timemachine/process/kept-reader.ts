import { Readable } from 'node:stream';
import { InTurn } from '#core/in-turn.ts';
import type { Ref } from '../content.ts';
import type { FilePage, FilePart, ListedFile } from '../read.ts';
import type { StoreDescription } from '../stores/open-store.ts';
import { HelperProcess } from './helper-process.ts';
import type { CallName, Calls, DumpPlace, SitePlace, SnapshotName } from './protocol.ts';

/** What is read and handed over at once; the next turn may be somebody else's. */
const FILES_A_PAGE = 1_000;
const BYTES_A_PIECE = 512 * 1024;
const SILENCE_MS = 60_000;

/**
 * Reads what is kept: lists, single files, their past. All of it is unpacked, checked and parsed in a process of its own, so that nobody who
 * is served by ours waits for a large folder. A space, which is a team, reads one thing at a time: whoever asks for much waits for themselves.
 */
export class KeptReader {
  readonly #helper: HelperProcess;
  readonly #turns = new InTurn();

  constructor(store: StoreDescription) {
    this.#helper = new HelperProcess(store, 'nice');
  }

  snapshots(space: string, site: string): Promise<string[]> {
    return this.#ask(space, 'listSnapshots', [space, site]);
  }

  /** However many there are: they come page by page. */
  async files(space: string, site: string, moment: SnapshotName, part: FilePart): Promise<FilePage> {
    const found: FilePage = { files: [], links: [], isTruncated: false };
    for (let { after } = part; ; ) {
      const left = part.limit - found.files.length - found.links.length;
      const limit = Math.min(left, FILES_A_PAGE);
      const page = await this.#ask(space, 'listFiles', [space, site, moment, { prefix: part.prefix, limit, after }]);
      found.files.push(...page.files);
      found.links.push(...page.links);
      if (page.last === undefined || (page.isTruncated && limit === left))
        return { ...found, isTruncated: page.isTruncated, ...(page.isTruncated && { last: page.last as string }) };
      after = page.last;
    }
  }

  find(
    space: string,
    site: string,
    moment: SnapshotName,
    paths: readonly string[],
  ): Promise<(ListedFile | undefined)[]> {
    return this.#ask(space, 'findFiles', [space, site, moment, paths]);
  }

  findIn(space: string, site: string, moments: readonly SnapshotName[], path: string): Promise<(ListedFile | null)[]> {
    return this.#ask(space, 'findFileIn', [space, site, moments, path]);
  }

  sizeOf(space: string, site: string, ref: Ref): Promise<number> {
    return this.#ask(space, 'contentSize', [space, site, ref]);
  }

  /** Fails here, and not in the stream, where there is no such content. */
  async read(space: string, site: string, ref: Ref, start: number, end: number): Promise<Readable> {
    const size = await this.sizeOf(space, site, ref);
    return Readable.from(this.#pieces(space, site, ref, start, Math.min(end, size)), { objectMode: false });
  }

  /** The tables of a snapshot as SQL, in parts; each time the same. */
  dump(from: Pick<SitePlace, 'space' | 'site' | 'rules'>, moment: SnapshotName): Readable {
    return Readable.from(this.#dumped(from, moment), { objectMode: false });
  }

  async *#dumped(from: Pick<SitePlace, 'space' | 'site' | 'rules'>, moment: SnapshotName): AsyncGenerator<Uint8Array> {
    for (let place: DumpPlace | null = { table: 0, range: 0 }; place; ) {
      const part: ReturnType<Calls['dump']> = await this.#ask(from.space, 'dump', [from, moment, place]);
      if (part.sql.length > 0) yield part.sql;
      place = part.next;
    }
  }

  get idleMs(): number {
    return this.#helper.idleMs;
  }

  close(): Promise<void> {
    return this.#helper.close();
  }

  async *#pieces(space: string, site: string, ref: Ref, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += BYTES_A_PIECE)
      yield await this.#ask(space, 'readContent', [space, site, ref, at, Math.min(at + BYTES_A_PIECE, end)]);
  }

  #ask<Name extends CallName>(
    space: string,
    name: Name,
    args: Parameters<Calls[Name]>,
  ): Promise<ReturnType<Calls[Name]>> {
    return this.#turns.next(space, () => this.#helper.callBeside(name, args, { silenceMs: SILENCE_MS }));
  }
}
