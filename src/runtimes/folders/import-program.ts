import { createReadStream } from 'node:fs';
import type { ArchiveLimits } from '#core/archive/entry.ts';
import { type UnpackTarget, unpackSite } from '#core/archive/unpack-site.ts';
import { loadDump, readDumpTables } from '#runtimes/wordpress/dump/load-dump.ts';
import type { WordPressTables } from '#runtimes/wordpress/dump/wordpress-tables.ts';
import { answerParent } from './child-program.ts';

/** The program that reads what strangers packed. */
export type ImportCall =
  | { call: 'unpack'; file: string; limits: ArchiveLimits; target: UnpackTarget }
  | { call: 'read'; dump: string }
  | { call: 'load'; dump: string; found: WordPressTables; database: string };

const CHUNK_BYTES = 1024 * 1024;
const chunksOf = (file: string) => createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;

answerParent((message: ImportCall): Promise<unknown> => {
  switch (message.call) {
    case 'unpack':
      return unpackSite(message.file, message.limits, message.target);
    case 'read':
      return readDumpTables(chunksOf(message.dump));
    case 'load':
      return loadDump(chunksOf(message.dump), message.found, message.database);
  }
});
