import type { FileHandle } from 'node:fs/promises';
import { type LogEntry, type LogKind, parseLine } from './entries.ts';
import { judgeOf, type LogFilter } from './log-filter.ts';
import type { LogFolder, PieceName } from './log-folder.ts';

/** A place between two lines of a log. Pieces and bytes in them only ever rise, so that places compare like times. */
export interface LogPlace {
  piece: PieceName;
  offset: number;
}

export interface PlacedEntry {
  entry: LogEntry;
  /** Where its line begins, for those who go back, and ends, for those who go on. */
  from: LogPlace;
  to: LogPlace;
}

const CHUNK_BYTES = 64 * 1024;
/** A reader who looks for something goes so far at a time, and is told where to go on. */
const MAX_SCAN_BYTES = 4 * 1024 ** 2;
/** Follows are for what is new; who comes late gets it in several turns. */
const MAX_FOLLOW_BYTES = 512 * 1024;
const MAX_LINE_BYTES = 256 * 1024;
const NEW_LINE = 0x0a;

export const formatPlace = ({ piece, offset }: LogPlace): string => `${piece}.${offset}`;

export const PLACE_PATTERN = '^\\d{4}-\\d{2}-\\d{2}-\\d{6}\\.\\d{1,12}$';

export function parsePlace(text: string | undefined): LogPlace | undefined {
  const match = /^(\d{4}-\d{2}-\d{2}-\d{6})\.(\d{1,12})$/.exec(text ?? '');
  return match ? { piece: match[1] as string, offset: Number(match[2]) } : undefined;
}

export interface LogQuery extends LogFilter {
  /** Goes on from there; from the end when left out. */
  before: LogPlace | undefined;
  limit: number;
}

export interface LogPage {
  entries: PlacedEntry[];
  /** Where to go on; undefined at the end of the log. */
  next: LogPlace | undefined;
}

/** Newest first. `next` is where to go on, or undefined at the end of the log; a page may be short, or empty, and have one. */
export async function readBackwards(
  folder: LogFolder,
  siteId: string,
  kind: LogKind,
  { before, limit, ...filter }: LogQuery,
): Promise<LogPage> {
  const judge = judgeOf(filter);
  const entries: PlacedEntry[] = [];
  let scannedBytes = 0;
  for (const piece of (await folder.pieces(siteId, kind)).reverse()) {
    if (before && piece > before.piece) continue;
    const file = await folder.open(siteId, kind, piece);
    if (!file) continue;
    try {
      const endsAt = before?.piece === piece ? before.offset : (await file.stat()).size;
      for await (const { text, offset, length } of linesBackwards(file, endsAt)) {
        scannedBytes += length;
        const entry = parseLine(text);
        const from = { piece, offset };
        const verdict = entry ? judge(entry) : 'pass';
        if (verdict === 'stop') return { entries, next: undefined };
        if (entry && verdict === 'take') entries.push({ entry, from, to: { piece, offset: offset + length } });
        if (entries.length >= limit || scannedBytes >= MAX_SCAN_BYTES) return { entries, next: from };
      }
    } finally {
      await file.close();
    }
  }
  return { entries, next: undefined };
}

interface Line {
  text: string;
  offset: number;
  /** In bytes, with its line break. */
  length: number;
}

/** Whole lines alone: what follows the last line break is still being written, or was never finished. */
async function* linesBackwards(file: FileHandle, endsAt: number): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let position = endsAt;
  // The end of a line whose beginning has yet to be read; undefined until the last line break is found.
  let rest: Buffer | undefined;
  while (position > 0) {
    const wanted = Math.min(CHUNK_BYTES, position);
    const { bytesRead } = await file.read(chunk, 0, wanted, position - wanted);
    if (bytesRead < wanted) return;
    position -= wanted;
    let end = wanted;
    for (
      let at = chunk.lastIndexOf(NEW_LINE, end - 1);
      at >= 0;
      at = at > 0 ? chunk.lastIndexOf(NEW_LINE, at - 1) : -1
    ) {
      if (rest) {
        const line = Buffer.concat([chunk.subarray(at + 1, end), rest]);
        if (line.length > 0) yield { text: line.toString(), offset: position + at + 1, length: line.length + 1 };
      }
      rest = Buffer.alloc(0);
      end = at;
    }
    rest = rest && Buffer.concat([chunk.subarray(0, end), rest]);
    // No line of ours is as long as that.
    if (rest && rest.length > MAX_LINE_BYTES) return;
  }
  if (rest && rest.length > 0) yield { text: rest.toString(), offset: 0, length: rest.length + 1 };
}

/** Where a log ends now. */
export async function endOf(folder: LogFolder, siteId: string, kind: LogKind): Promise<LogPlace> {
  const piece = (await folder.pieces(siteId, kind)).at(-1);
  const file = piece && (await folder.open(siteId, kind, piece));
  // The first piece that there will be comes after this.
  if (!piece || !file) return { piece: '0000-00-00-000000', offset: 0 };
  return file
    .stat()
    .then(({ size }) => ({ piece, offset: size }))
    .finally(() => file.close());
}

/** What was written after a place, oldest first, and the place to ask with the next time. */
export async function readOn(
  folder: LogFolder,
  siteId: string,
  kind: LogKind,
  after: LogPlace,
): Promise<{ entries: PlacedEntry[]; place: LogPlace }> {
  const pieces = (await folder.pieces(siteId, kind)).filter((piece) => piece >= after.piece);
  let place = after;
  for (const piece of pieces) {
    const start = piece === after.piece ? after.offset : 0;
    const read = await readLines(folder, siteId, kind, { piece, offset: start });
    place = read.place;
    // One piece at a time where there is something in it.
    if (read.entries.length > 0) return { entries: read.entries, place };
  }
  return { entries: [], place };
}

async function readLines(
  folder: LogFolder,
  siteId: string,
  kind: LogKind,
  start: LogPlace,
): Promise<{ entries: PlacedEntry[]; place: LogPlace }> {
  const file = await folder.open(siteId, kind, start.piece);
  if (!file) return { entries: [], place: start };
  try {
    const sizeBytes = Math.min((await file.stat()).size - start.offset, MAX_FOLLOW_BYTES);
    if (sizeBytes <= 0) return { entries: [], place: start };
    const bytes = Buffer.alloc(sizeBytes);
    const { bytesRead } = await file.read(bytes, 0, sizeBytes, start.offset);
    const entries: PlacedEntry[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEW_LINE); at >= 0 && at < bytesRead; at = bytes.indexOf(NEW_LINE, from)) {
      const entry = at > from ? parseLine(bytes.toString('utf8', from, at)) : undefined;
      const placeAt = (index: number) => ({ piece: start.piece, offset: start.offset + index });
      if (entry) entries.push({ entry, from: placeAt(from), to: placeAt(at + 1) });
      from = at + 1;
    }
    return { entries, place: { piece: start.piece, offset: start.offset + from } };
  } finally {
    await file.close();
  }
}
