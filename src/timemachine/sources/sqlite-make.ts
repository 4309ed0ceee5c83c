import { constants, type DatabaseSync } from 'node:sqlite';

/** What a statement that makes a table, index, view or trigger needs, and nothing else. */
const MAKING = new Set([
  constants.SQLITE_CREATE_TABLE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_CREATE_VIEW,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_READ,
  constants.SQLITE_REINDEX,
  constants.SQLITE_FUNCTION,
]);

/** Runs statements of a site's schema, and keeps everything in that schema from running by itself. */
export class SchemaMaker {
  readonly #db: DatabaseSync;
  #isMaking = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
    db.setAuthorizer((action, name, _, database, cause) => {
      // Nothing that a trigger or view would do is done, however it came to run.
      const isAllowed = cause === null && (!this.#isMaking || isOfMaking(action, name, database));
      return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
    });
  }

  /**
   * SQLite looks only at the first statement of each entry in a schema, so a site may hide others behind it: only the first
   * is run, and only if it makes something in this very database.
   */
  make(sql: string): void {
    this.#isMaking = true;
    try {
      this.#db.prepare(sql).run();
    } finally {
      this.#isMaking = false;
    }
  }
}

function isOfMaking(action: number, name: string | null, database: string | null): boolean {
  if (database !== null && database !== 'main') return false;
  const isWrite = action === constants.SQLITE_INSERT || action === constants.SQLITE_UPDATE;
  return isWrite ? name === 'sqlite_master' : MAKING.has(action);
}
