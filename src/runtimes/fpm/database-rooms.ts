import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InTurn } from '#core/in-turn.ts';
import type { Log } from '#core/log.ts';
import type { SiteDatabases } from '#runtimes/mariadb/site-databases.ts';

export interface DatabaseRoomsOptions {
  /** The server, where the site has its database there. */
  serverOf(siteId: string): SiteDatabases | undefined;
  folderOf(siteId: string): string;
  log: Log;
}

/** Beside what PHP sees: whoever starts next has to know it too. */
const CLOSED = 'database-closed';
const COMPACT_MS = 60_000;

/**
 * Whether sites may write to their databases on a server, which grow in no folder of theirs. One that has used up its storage reads and removes alone, until
 * there is room again.
 */
export class DatabaseRooms {
  readonly #options: DatabaseRoomsOptions;
  readonly #turns = new InTurn();
  readonly #compactedAt = new Map<string, number>();

  constructor(options: DatabaseRoomsOptions) {
    this.#options = options;
  }

  /** It goes on growing where there is no room. */
  close(siteId: string): void {
    this.#change(siteId, async (databases) => {
      await writeFile(this.#mark(siteId), '');
      await databases.setWritable(siteId, false);
    });
  }

  /** To be told whenever that is known anew. */
  set(siteId: string, leftBytes: number): void {
    if (!existsSync(this.#mark(siteId))) return;
    this.#change(siteId, async (databases) => {
      if (leftBytes > 0) {
        await databases.setWritable(siteId, true);
        await rm(this.#mark(siteId), { force: true });
        this.#compactedAt.delete(siteId);
      } else if (performance.now() - (this.#compactedAt.get(siteId) ?? Number.NEGATIVE_INFINITY) > COMPACT_MS) {
        // What was removed is the server's to use again, and takes up the disk until then.
        if (await databases.compact(siteId)) this.#compactedAt.set(siteId, performance.now());
      }
    });
  }

  #change(siteId: string, act: (databases: SiteDatabases) => Promise<void>): void {
    const databases = this.#options.serverOf(siteId);
    if (!databases) return;
    this.#turns
      .next(siteId, () => act(databases))
      .catch((error) =>
        this.#options.log.warn({ err: error, siteId }, "the rights to a site's database could not be changed"),
      );
  }

  #mark(siteId: string): string {
    return join(this.#options.folderOf(siteId), CLOSED);
  }
}
