import { setImmediate as otherWork } from 'node:timers/promises';
import type { Ref } from '../content.ts';
import { findFile, findFileIn, type ListedFile, listPage, type OpenContent, openContent } from '../read.ts';
import type { Repository } from '../repository.ts';
import type { Calls } from './protocol.ts';

/** A file is read in pieces, one call each. */
const OPEN_CONTENTS = 8;
/** After so many files others get their turn. */
const LOOKED_AT_ONCE = 8;

type ReadCalls = 'listSnapshots' | 'listFiles' | 'findFiles' | 'findFileIn' | 'contentSize' | 'readContent';
/** None of them has anything to say before its answer. */
type ReadHandlers = {
  [Name in ReadCalls]: (_: unknown, ...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>;
};

/** What only reads what is kept, and never looks at a site. */
export function readHandlers(repository: Repository): ReadHandlers {
  /** The latest at the end. */
  const opened = new Map<string, Promise<OpenContent>>();

  async function open(space: string, site: string, ref: Ref): Promise<OpenContent> {
    const name = `${space} ${site} ${ref}`;
    const content = opened.get(name) ?? openContent(repository.site(space, site), ref);
    opened.delete(name);
    opened.set(name, content);
    const [oldest] = opened.keys();
    if (opened.size > OPEN_CONTENTS && oldest !== undefined) opened.delete(oldest);
    try {
      return await content;
    } catch (error) {
      opened.delete(name);
      throw error;
    }
  }

  return {
    async listSnapshots(_, space, site) {
      return (await repository.site(space, site).snapshots()).map(({ hash }) => hash);
    },

    async listFiles(_, space, site, moment, part) {
      const from = repository.site(space, site);
      return listPage(from, await from.readNamed(moment), part);
    },

    async findFiles(_, space, site, moment, paths) {
      const from = repository.site(space, site);
      const snapshot = await from.readNamed(moment);
      const found: (ListedFile | undefined)[] = [];
      for (let first = 0; first < paths.length; first += LOOKED_AT_ONCE) {
        await otherWork();
        const some = paths.slice(first, first + LOOKED_AT_ONCE);
        found.push(...(await Promise.all(some.map((path) => findFile(from, snapshot, path)))));
      }
      return found;
    },

    findFileIn: (_, space, site, moments, path) => findFileIn(repository.site(space, site), moments, path),

    async contentSize(_, space, site, ref) {
      return (await open(space, site, ref)).sizeBytes;
    },

    async readContent(_, space, site, ref, start, end) {
      const content = await open(space, site, ref);
      const pieces: Buffer[] = [];
      for await (const piece of content.read(start, end)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}
