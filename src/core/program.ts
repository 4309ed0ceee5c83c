import { join, relative, resolve } from 'node:path';

const SOURCES = join(import.meta.dirname, '..');
/** Where scripts/programs.vite.ts put the programs; whoever runs the sources as they are has none. */
const BUILT = process.env.SITEYARD_PROGRAMS && resolve(SOURCES, '..', process.env.SITEYARD_PROGRAMS);

/**
 * The file to run for a program that has a process or a thread of its own, given as its source. Reading TypeScript is most of what the start of a
 * small one costs, and each starts often.
 */
export function programFile(source: string): string {
  return BUILT ? join(BUILT, relative(SOURCES, source).replace(/\.ts$/, '.mjs')) : source;
}

/** What a program needs to read of ours. */
export const PROGRAM_FOLDER = BUILT || SOURCES;
