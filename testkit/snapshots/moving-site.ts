import { join } from 'node:path';
import { SiteFolders } from '#runtimes/folders/site-folders.ts';
import type { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import type { DatabaseKind, SiteDatabase } from '#runtimes/runtime.ts';
import { keepRules } from '#runtimes/wordpress/keep-rules.ts';
import { type Conversation, makeHandlers } from '#timemachine/process/handlers.ts';
import type { SitePlace, SnapshotName } from '#timemachine/process/protocol.ts';
import { Repository } from '#timemachine/repository.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';

const CONVERSATION: Conversation = { onProgress() {}, announce: async () => {}, want: async () => [] };

/** A site whose rows move between kinds of databases, with the time machine that moves them, in this process. */
export class MovingSite {
  readonly id: string;
  readonly folders: SiteFolders;
  readonly handlers: ReturnType<typeof makeHandlers>;

  constructor(folder: string, databases: MariadbDatabases, id: string) {
    this.id = id;
    this.folders = new SiteFolders(folder);
    this.folders.server = { databases, isForNew: true };
    this.handlers = makeHandlers(new Repository(new DiskStore(join(folder, 'store'))));
  }

  get kind(): DatabaseKind {
    return this.folders.storage(this.id).database.kind;
  }

  get place(): SitePlace {
    const kept = { space: 'ada', site: this.id, rules: keepRules('wp_'), isSuspect: false, recorded: null };
    return { ...this.folders.storage(this.id), ...kept };
  }

  /** `isMoved`: the rows are there, and nothing says so yet. */
  async move(to: DatabaseKind, isMoved = () => {}): Promise<void> {
    const fill = async (into: SitePlace['database']) => {
      await this.handlers.move(CONVERSATION, this.place, into);
      isMoved();
    };
    await this.folders.moveRows(this.id, to, fill, undefined);
  }

  async keep(): Promise<SnapshotName> {
    return (await this.handlers.snapshot(CONVERSATION, this.place)).newest;
  }

  async restore(point: SnapshotName): Promise<void> {
    const wish = { point, files: true, tables: true, deleteExtraFiles: true };
    await this.handlers.restore(CONVERSATION, this.place, wish);
  }

  async ask<T>(act: (database: SiteDatabase) => Promise<T>): Promise<T> {
    const database = this.folders.database(this.id, () => {});
    return act(database).finally(() => database.close());
  }
}
