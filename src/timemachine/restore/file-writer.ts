import { availableParallelism } from 'node:os';
import { type Ref, readChunkList } from '../content.ts';
import { failedBy } from '../failure.ts';
import { corruptObject, type Hash } from '../hash.ts';
import { ZEROS, ZEROS_HASH } from '../holes.ts';
import type { Location, Pool } from '../pool.ts';
import type { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import type { FileOperations } from '../stores/file-operations.ts';
import { type WriteJob, WriterCrew } from './writer-crew.ts';

export interface FileToWrite {
  path: string;
  ref: Ref;
  sizeBytes: number;
  mode: number;
  modifiedUs: number;
}

/** From here on, threads of their own decompress, verify and write. */
const CREW_FROM_BYTES = 16 * 1024 * 1024;
/** What is bigger goes through this thread, chunk by chunk, so that memory stays small. */
const CREW_FILE_BYTES = 8 * 1024 * 1024;
const BATCH_BYTES = 2 * 1024 * 1024;
const GAP_BYTES = 64 * 1024;

/** Writes files that do not exist yet. Every byte is verified against its hash before it is written. */
export async function writeFiles(
  repository: SiteRepository,
  files: readonly FileToWrite[],
  operations: FileOperations,
  durable: boolean,
  progress: ProgressReport,
): Promise<void> {
  const total = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  progress.begin('writing', { filesTotal: files.length, bytesTotal: total });
  const forCrew = total < CREW_FROM_BYTES ? [] : files.filter((file) => file.sizeBytes <= CREW_FILE_BYTES);
  const alone = forCrew.length === 0 ? files : files.filter((file) => file.sizeBytes > CREW_FILE_BYTES);
  const writeAlone = async (file: FileToWrite) => {
    await operations.writeNew(file.path, contentOf(repository, file.ref, progress), { mode: 0o600, durable });
    await operations.chmod(file.path, file.mode);
    await operations.setModified(file.path, file.modifiedUs);
    progress.add({ files: 1 });
  };
  for (const file of alone) await writeAlone(file);
  try {
    if (forCrew.length > 0) await writeByCrew(repository, forCrew, durable, progress);
  } catch (error) {
    if (!failedBy(error, 'corrupt_object', 'short_object', 'missing_object')) throw error;
    // What is rotten in one pack may be sound in another one, and a prune may have moved it: this looks everywhere.
    await repository.refresh();
    for (const file of forCrew) {
      await operations.remove(file.path);
      await writeAlone(file);
    }
  }
  progress.end();
}

async function writeByCrew(
  repository: SiteRepository,
  files: readonly FileToWrite[],
  durable: boolean,
  progress: ProgressReport,
): Promise<void> {
  const crew = new WriterCrew(Math.min(4, availableParallelism()), durable, progress);
  try {
    for await (const batch of batches(repository, files)) await crew.write(batch);
    await crew.finish();
  } finally {
    await crew.close();
  }
}

async function* contentOf(repository: SiteRepository, ref: Ref, progress: ProgressReport): AsyncGenerator<Uint8Array> {
  const hashes = ref.startsWith('+') ? (await readChunkList(repository, ref)).map(([hash]) => hash) : [ref];
  for (const hash of hashes) {
    // What a hole is need not be read.
    const part = hash === ZEROS_HASH ? ZEROS : await repository.read(hash);
    yield part;
    progress.add({ bytes: part.length });
  }
}

interface Placed {
  file: FileToWrite;
  places: { pool: Pool; location: Location }[];
}

/** Files in the order of their places in the packs, so that packs are read in few long stretches. */
async function* batches(repository: SiteRepository, files: readonly FileToWrite[]): AsyncGenerator<WriteJob[]> {
  const placed: Placed[] = [];
  for (const file of files) placed.push({ file, places: await placesOf(repository, file.ref) });
  placed.sort((a, b) => order(a) - order(b) || compareStart(a, b));
  let batch: Placed[] = [];
  let bytes = 0;
  for (const each of placed) {
    batch.push(each);
    bytes += each.places.reduce((sum, { location }) => sum + location.storedBytes, 0);
    if (bytes < BATCH_BYTES) continue;
    yield await load(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield await load(batch);
}

function order({ places }: Placed): number {
  return places[0] ? Number.parseInt(places[0].location.pack.slice(0, 12), 16) : 0;
}

function compareStart(a: Placed, b: Placed): number {
  return (a.places[0]?.location.offset ?? 0) - (b.places[0]?.location.offset ?? 0);
}

async function placesOf(repository: SiteRepository, ref: Ref): Promise<Placed['places']> {
  const hashes: Hash[] = ref.startsWith('+') ? (await readChunkList(repository, ref)).map(([hash]) => hash) : [ref];
  return hashes.map((hash) => {
    const place = repository.locate(hash);
    if (!place) throw corruptObject(`object ${hash} is missing`);
    return place;
  });
}

/** Reads the frames of a batch, neighbours in one go. */
async function load(batch: readonly Placed[]): Promise<WriteJob[]> {
  const wanted = batch.flatMap(({ places }) => places);
  const stretches: { pool: Pool; pack: Hash; start: number; end: number }[] = [];
  const sorted = [...wanted].sort((a, b) =>
    a.location.pack < b.location.pack
      ? -1
      : a.location.pack > b.location.pack
        ? 1
        : a.location.offset - b.location.offset,
  );
  for (const { pool, location } of sorted) {
    const last = stretches.at(-1);
    const end = location.offset + location.storedBytes;
    if (last?.pack === location.pack && last.pool === pool && location.offset - last.end < GAP_BYTES) {
      last.end = Math.max(last.end, end);
    } else stretches.push({ pool, pack: location.pack, start: location.offset, end });
  }
  const loaded: { pack: Hash; start: number; end: number; bytes: Buffer }[] = [];
  for (const { pool, pack, start, end } of stretches) {
    loaded.push({ pack, start, end, bytes: await pool.readFrames(pack, start, end - start) });
  }
  return batch.map(({ file, places }) => ({
    path: file.path,
    mode: file.mode,
    modifiedUs: file.modifiedUs,
    frames: places.map(({ location: { pack, hash, offset, storedBytes, plainBytes, isCompressed } }) => {
      const from = loaded.find(
        (each) => each.pack === pack && each.start <= offset && offset + storedBytes <= each.end,
      );
      if (!from) throw new Error('A frame was not loaded');
      const start = from.bytes.byteOffset + offset - from.start;
      return { hash, plainBytes, isCompressed, buffer: from.bytes.buffer as ArrayBuffer, start, storedBytes };
    }),
  }));
}
