import { existsSync } from 'node:fs';
import { chown, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolderDurably, moveDurably, placeDurably, syncFolder, syncMove } from '#core/durable-folder.ts';
import { removeFolder } from '#core/remove-folder.ts';
import { loadSqlite } from '#runtimes/mariadb/load-sqlite.ts';
import type { DatabaseAccess, SiteDatabases } from '#runtimes/mariadb/site-databases.ts';
import type { Adaptation, DatabaseKind, OutgoingMail, SiteDatabase, SiteStorage } from '#runtimes/runtime.ts';
import type { ChosenTheme } from '#runtimes/wordpress/adapt.ts';
import { TimeMachineFailure } from '#timemachine/failure.ts';
import { SiteDatabaseProcess } from './database-process.ts';
import { mailNames, readMail } from './outbox.ts';
import type { ProgramRoom } from './program-room.ts';
import {
  databaseFile,
  diskUsageBytes,
  giveDatabase,
  giveSiteFolder,
  isOnServer,
  makeSiteFolder,
  markOnServer,
  SITE_FOLDERS,
  storageIn,
} from './site-folder.ts';

/** How a site that comes from elsewhere is changed; `theme` finds the one that was named, in the site's own folder or beside it. */
export interface Settling {
  to: Adaptation;
  theme?: (ownThemes: string) => Promise<ChosenTheme>;
}

export interface ServerOfSites {
  databases: SiteDatabases;
  /** New sites get their database there. */
  isForNew: boolean;
}

/**
 * The sites of a driver that keeps each in a folder of its own: where they are, how one comes to be, goes aside, comes back
 * and goes for good. Each is whole or not there, and what was done lasts (docs/decisions/0016).
 */
export class SiteFolders {
  readonly root: string;
  readonly #archive: string;
  /** Where this machine has a sandbox, once that was found. */
  room: ProgramRoom | undefined;
  /** Sites whose database is no file have it there; undefined where there is no such server. */
  server: ServerOfSites | undefined;

  constructor(dataDir: string) {
    this.root = join(dataDir, 'sites');
    this.#archive = join(dataDir, 'deleted-sites');
  }

  async open(): Promise<void> {
    for (const folder of [this.root, this.#archive]) await makeFolderDurably(folder, 0o700);
  }

  of(siteId: string): string {
    return join(this.root, siteId);
  }

  content(siteId: string): string {
    return storageIn(this.of(siteId)).content;
  }

  storage(siteId: string): SiteStorage {
    const folder = this.of(siteId);
    const storage = storageIn(folder);
    return isOnServer(folder) ? { ...storage, database: this.#serverOf().databases.describe(siteId) } : storage;
  }

  outbox(siteId: string): string {
    return join(this.of(siteId), 'outbox');
  }

  giveTo(siteId: string, owner: number): void {
    giveSiteFolder(this.of(siteId), owner);
  }

  /** All but the content, which appears when it is whole. */
  async makeMissing(siteId: string, owner: number | undefined): Promise<void> {
    const isGone = !existsSync(this.of(siteId));
    for (const name of SITE_FOLDERS.filter((each) => each !== 'content')) {
      const folder = join(this.of(siteId), name);
      if (existsSync(folder)) continue;
      await makeFolderDurably(folder, 0o700);
      if (owner !== undefined) await chown(folder, owner, owner);
    }
    // All of its folder is lost, and with it the mark; its database is not.
    if (isGone && (await this.server?.databases.list())?.includes(siteId)) await markOnServer(this.of(siteId), true);
  }

  /** What somebody puts into the content is here until it is whole. */
  incoming(siteId: string): string {
    return join(this.of(siteId), 'incoming');
  }

  async isEmpty(): Promise<boolean> {
    return (await readdir(this.root)).length === 0;
  }

  /** A site's folder appears when it is complete, and lasts; an earlier attempt's is replaced when nothing runs in it. */
  async build(
    siteId: string,
    fill: (draft: string) => Promise<void>,
    owner: number | undefined,
    stop: () => Promise<void>,
  ): Promise<void> {
    const draft = this.#draftOf(siteId);
    await fill(draft);
    if (this.server?.isForNew && !isOnServer(draft)) await this.#load(siteId, draft, this.server);
    if (owner !== undefined) giveSiteFolder(draft, owner);
    await stop();
    if (isOnServer(draft)) await this.server?.databases.publish(siteId);
    await removeFolder(this.of(siteId));
    await placeDurably(draft, this.of(siteId));
  }

  /** What was made in a file comes to the server. */
  async #load(siteId: string, draft: string, { databases }: ServerOfSites): Promise<void> {
    const file = this.#askFile(draft);
    try {
      await loadSqlite(file, await databases.makeDraft(siteId));
    } finally {
      await file.close();
    }
    await markOnServer(draft, true);
    await rm(databaseFile(draft));
  }

  /** The same as `fill`, on the server. */
  async fillOnServer(
    siteId: string,
    draft: string,
    url: string,
    fill: (storage: SiteStorage) => Promise<void>,
    owner?: number,
  ): Promise<void> {
    await makeSiteFolder(draft);
    const description = await this.#serverOf().databases.makeDraft(siteId);
    await fill({ ...storageIn(draft), database: description, ...(owner !== undefined && { owner }) });
    const database = new SiteDatabaseProcess(description);
    await database.moveTo(url).finally(() => database.close());
    await markOnServer(draft, true);
  }

  /** Makes a draft a site of what `fill` puts there, at this address. */
  async fill(
    draft: string,
    url: string,
    fill: (storage: SiteStorage) => Promise<void>,
    change?: Settling,
    owner?: number,
  ): Promise<void> {
    await makeSiteFolder(draft);
    const giveItsDatabase = () => owner !== undefined && giveDatabase(draft, owner);
    giveItsDatabase();
    // Started now: by the time that the files are there, it is ready.
    const database = this.#askFile(draft);
    try {
      await fill({ ...storageIn(draft), ...(owner !== undefined && { owner }) });
      giveItsDatabase();
      await this.#settle(database, draft, url, change);
    } finally {
      await database.close();
    }
  }

  /** Gives what is in a draft its address, and its people where they change. */
  async settle(draft: string, url: string, change?: Settling): Promise<void> {
    const database = this.#askFile(draft);
    await this.#settle(database, draft, url, change).finally(() => database.close());
  }

  /** The database is its site's, so it is asked in a process of its own. */
  async #settle(database: SiteDatabaseProcess, draft: string, url: string, change?: Settling): Promise<void> {
    const theme = change?.theme === undefined ? undefined : await change.theme(join(draft, 'content', 'themes'));
    // First: what a stranger put there to run by itself must not see the move.
    if (change) await database.adapt(change.to, theme);
    await database.moveTo(url);
  }

  /** The mark decides. What was there before goes after it, and with the next attempt where this one was killed. */
  async moveRows(
    siteId: string,
    to: DatabaseKind,
    fill: (into: SiteStorage['database']) => Promise<void>,
    owner: number | undefined,
  ): Promise<void> {
    const folder = this.of(siteId);
    const isMoved = isOnServer(folder) === (to === 'mariadb');
    if (to === 'mariadb') {
      if (!this.server) throw new TimeMachineFailure('unusable_point', 'Its host has no MariaDB.');
      const { databases } = this.server;
      if (!isMoved) {
        await databases.create(siteId);
        try {
          await fill(databases.describe(siteId));
        } catch (error) {
          // Nobody would look for it there: it takes up the disk, and what finds it takes the site for one of the server's.
          await databases.drop(siteId);
          throw error;
        }
        await markOnServer(folder, true);
      }
      await removeFolder(join(folder, 'database'));
      await this.makeMissing(siteId, owner);
    } else {
      if (!isMoved) {
        await removeFolder(join(folder, 'database'));
        await this.makeMissing(siteId, owner);
        await fill(storageIn(folder).database);
        if (owner !== undefined) giveDatabase(folder, owner);
        await markOnServer(folder, false);
      }
      await this.server?.databases.drop(siteId);
    }
  }

  async archive(siteId: string): Promise<void> {
    await move(this.of(siteId), join(this.#archive, siteId));
    if (isOnServer(join(this.#archive, siteId))) await this.#serverOf().databases.archive(siteId);
  }

  async unarchive(siteId: string): Promise<void> {
    await move(join(this.#archive, siteId), this.of(siteId));
    if (isOnServer(this.of(siteId))) await this.#serverOf().databases.unarchive(siteId);
  }

  /** The folder goes last: as long as it is there, the site is listed. */
  async delete(siteId: string): Promise<void> {
    await this.server?.databases.drop(siteId);
    for (const folder of [this.of(siteId), this.#draftOf(siteId), join(this.#archive, siteId)]) {
      await removeFolder(folder);
      await syncFolder(dirname(folder));
    }
  }

  async list(): Promise<string[]> {
    const names = await Promise.all([this.root, this.#archive].map((folder) => readdir(folder)));
    return [...new Set(names.flat().map((name) => name.replace(/\.draft$/, '')))];
  }

  /** `onWrite` is called before and after everything that may write. */
  database(siteId: string, onWrite: () => void): SiteDatabase {
    const { database: where } = this.storage(siteId);
    const database = new SiteDatabaseProcess(where, this.room);
    database.onWrite = onWrite;
    return database;
  }

  async diskUsageBytes(siteId: string): Promise<number> {
    const bytes = await diskUsageBytes(this.of(siteId));
    return isOnServer(this.of(siteId)) ? bytes + (await this.#serverOf().databases.sizeBytes(siteId)) : bytes;
  }

  outgoingMail(siteId: string): AsyncIterable<OutgoingMail> {
    return readMail(this.outbox(siteId));
  }

  async hasOutgoingMail(siteId: string): Promise<boolean> {
    return (await mailNames(this.outbox(siteId))).length > 0;
  }

  /** The server that has the site's database; undefined where that is a file. */
  serverOf(siteId: string): SiteDatabases | undefined {
    return isOnServer(this.of(siteId)) ? this.server?.databases : undefined;
  }

  /** How PHP reaches the database of what is in that folder; undefined where that is a file in it. */
  accessOf(siteId: string, siteFolder: string): DatabaseAccess | undefined {
    return isOnServer(siteFolder) ? this.#serverOf().databases.access(siteId) : undefined;
  }

  #serverOf(): ServerOfSites {
    if (!this.server)
      throw new Error("the site's database is on MariaDB, and this host has none: set MARIADB_URL, or install it");
    return this.server;
  }

  #askFile(draft: string): SiteDatabaseProcess {
    return new SiteDatabaseProcess({ kind: 'sqlite', file: databaseFile(draft) }, this.room);
  }

  #draftOf(siteId: string): string {
    return `${this.of(siteId)}.draft`;
  }
}

/** Moves a site, to stay; where it is in its new place already, an earlier attempt has done it. */
async function move(from: string, to: string): Promise<void> {
  if (!existsSync(from)) {
    // That attempt may have been killed before it was sure.
    if (existsSync(to)) return syncMove(from, to);
    throw new Error('there is nothing left of this site');
  }
  await removeFolder(to);
  await moveDurably(from, to);
}
