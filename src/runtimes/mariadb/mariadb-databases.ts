import { createHmac } from 'node:crypto';
import { createPool, type Pool, type PoolConnection } from 'mariadb';
import { namesOf, type SiteNames, siteOfDatabase } from './names.ts';
import { connectionOptions, quoteName, type ServerAccess } from './server-access.ts';
import type { Account, DatabaseAccess, MariadbDescription, SiteDatabases } from './site-databases.ts';

export interface MariadbDatabasesOptions {
  access: ServerAccess;
  /** What the passwords of sites are derived from. */
  secret: string;
  limits?: Partial<SiteLimits>;
  /** How long the server's log of changes may get, where it is ours to say; sites write in it what they like. */
  mostLogBytes?: number;
}

interface SiteLimits {
  connections: number;
  /** A statement that takes longer is ended. */
  statementSeconds: number;
  /** So is a transaction in which nothing happens for so long. */
  transactionSeconds: number;
  /** A connection that nobody asks anything of is ended after so long. */
  idleSeconds: number;
}

const LIMITS: SiteLimits = { connections: 20, statementSeconds: 60, transactionSeconds: 60, idleSeconds: 300 };
const READING = 'SELECT, DELETE, DROP, SHOW VIEW, LOCK TABLES, CREATE TEMPORARY TABLES';
/** What makes a database grow. */
const WRITING = 'INSERT, UPDATE, CREATE, ALTER, INDEX, REFERENCES, CREATE VIEW';
/** Those of 10.6 and later do not leave half of a statement behind when they crash. */
const OLDEST = [10, 6];
const LOOK_MS = 5_000;
/** A table that has so much room inside is worth being written anew. */
const LOOSE_BYTES = 5 * 1024 * 1024;

/** The sites of one server, through an account that may make databases and accounts. */
export class MariadbDatabases implements SiteDatabases {
  readonly #options: MariadbDatabasesOptions;
  readonly #limits: SiteLimits;
  readonly #pool: Pool;
  readonly #binlog: Account;
  readonly #look: NodeJS.Timeout;

  private constructor(options: MariadbDatabasesOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#pool = createPool({
      ...connectionOptions(options.access),
      connectionLimit: 4,
      minimumIdle: 0,
      idleTimeout: 30,
    });
    const derived = (what: string) =>
      createHmac('sha256', options.secret).update(`mariadb binlog ${what}`).digest('hex');
    // Others may manage sites of theirs on the same server.
    this.#binlog = { user: `changes_${derived('user').slice(0, 12)}`, password: derived('password') };
    this.#look = setInterval(() => {
      void this.endLongStatements().catch(() => {});
      void this.shortenLog().catch(() => {});
    }, LOOK_MS).unref();
  }

  /** Fails where the server can not be used, and says why. */
  static async open(options: MariadbDatabasesOptions): Promise<MariadbDatabases> {
    const databases = new MariadbDatabases(options);
    try {
      await databases.#prepare();
      return databases;
    } catch (error) {
      await databases.close();
      throw error;
    }
  }

  async create(siteId: string): Promise<void> {
    const names = this.#names(siteId);
    await this.#run(async (run) => {
      await run(`CREATE DATABASE IF NOT EXISTS ${names.database}`);
      await this.#grant(run, names);
    });
  }

  async drop(siteId: string): Promise<void> {
    const { database, site, keeper } = this.#names(siteId);
    await this.#run(async (run) => {
      // Nobody may come in between, nor hold a table.
      for (const { user } of [site, keeper]) await run(`DROP USER IF EXISTS ${this.#at(user)}`);
      await endConnections(run, [site.user, keeper.user]);
      // With drafts, and with what a restore that was killed has left beside it.
      const beside = await run(
        'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE ?',
        `${database.replaceAll('_', '\\_')}\\_%`,
      );
      for (const name of [...beside.map((row) => String(row.name)), database])
        await run(`DROP DATABASE IF EXISTS ${quoteName(name)}`);
    });
  }

  async makeDraft(siteId: string): Promise<MariadbDescription> {
    const names = this.#names(siteId);
    await this.#run(async (run) => {
      await run(`DROP DATABASE IF EXISTS ${names.draft}`);
      await run(`CREATE DATABASE ${names.draft}`);
      await this.#grant(run, names);
    });
    return { ...this.describe(siteId), name: names.draft };
  }

  async publish(siteId: string): Promise<void> {
    const { database, draft, old, site } = this.#names(siteId);
    await this.#run(async (run) => {
      const drafts = await tablesOf(run, draft);
      const [isThere] = await run('SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?', draft);
      if (!isThere) return;
      await run(`CREATE DATABASE IF NOT EXISTS ${database}`);
      await run(`DROP DATABASE IF EXISTS ${old}`);
      await run(`CREATE DATABASE ${old}`);
      await endConnections(run, [site.user]);
      const own = await tablesOf(run, database);
      for (const { name, isView } of own) if (isView) await run(`DROP VIEW IF EXISTS ${database}.${quoteName(name)}`);
      // They are written in other words once their tables are gone.
      const views: string[] = [];
      for (const { name, isView } of drafts)
        if (isView) views.push(await this.#viewStatement(run, name, draft, siteId));
      const moves = [
        ...own.map((table) => ({ ...table, from: database, to: old })),
        ...drafts.map((table) => ({ ...table, from: draft, to: database })),
      ].filter(({ isView }) => !isView);
      const renames = moves.map(({ name, from, to }) => `${from}.${quoteName(name)} TO ${to}.${quoteName(name)}`);
      // One statement, so that the tables are the ones or the others.
      if (renames.length > 0) await run(`RENAME TABLE ${renames.join(', ')}`);
      await run(`USE ${database}`);
      for (const view of views) await run(view);
      await run(`DROP DATABASE IF EXISTS ${draft}`);
      await run(`DROP DATABASE IF EXISTS ${old}`);
    });
  }

  async archive(siteId: string): Promise<void> {
    const { site } = this.#names(siteId);
    await this.#run(async (run) => {
      await run(`ALTER USER IF EXISTS ${this.#at(site.user)} ACCOUNT LOCK`);
      await endConnections(run, [site.user]);
    });
  }

  async unarchive(siteId: string): Promise<void> {
    const { site } = this.#names(siteId);
    await this.#run((run) => run(`ALTER USER IF EXISTS ${this.#at(site.user)} ACCOUNT UNLOCK`));
  }

  access(siteId: string): DatabaseAccess {
    const { database, site } = this.#names(siteId);
    const { socket, host, port, tls } = this.#options.access.address;
    const name = socket === undefined ? `${host}:${port}` : `localhost:${socket}`;
    return { host: name, name: database, ...site, socket, isEncrypted: tls !== undefined };
  }

  describe(siteId: string): MariadbDescription {
    const { database, keeper } = this.#names(siteId);
    const { address } = this.#options.access;
    return { kind: 'mariadb', server: address, name: database, account: keeper, binlog: this.#binlog };
  }

  async sizeBytes(siteId: string): Promise<number> {
    const { database } = this.#names(siteId);
    const [row] = await this.#run((run) =>
      run(
        'SELECT CAST(COALESCE(SUM(FILE_SIZE), 0) AS UNSIGNED) AS bytes FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE ?',
        `${database.replaceAll('_', '\\_')}/%`,
      ),
    );
    return Number(row?.bytes ?? 0);
  }

  async setWritable(siteId: string, isWritable: boolean): Promise<void> {
    const { database, site } = this.#names(siteId);
    await this.#run(async (run) => {
      const on = `ON ${pattern(database)}.*`;
      if (isWritable) await run(`GRANT ${WRITING} ${on} TO ${this.#at(site.user)}`);
      else {
        await run(`REVOKE ${WRITING} ${on} FROM ${this.#at(site.user)}`);
        // Rights are looked up when a connection chooses its database.
        await endConnections(run, [site.user]);
      }
    });
  }

  async compact(siteId: string): Promise<boolean> {
    const { database } = this.#names(siteId);
    return this.#run(async (run) => {
      const loose = await run(
        "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' AND DATA_FREE >= ?",
        database,
        LOOSE_BYTES,
      );
      // Nothing in the tables is another after it, so the log of changes has no word of it.
      for (const { name } of loose)
        await run(`OPTIMIZE NO_WRITE_TO_BINLOG TABLE ${database}.${quoteName(String(name))}`);
      return loose.length > 0;
    });
  }

  async list(): Promise<string[]> {
    const rows = await this.#run((run) => run('SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA'));
    return rows.flatMap(({ name }) => siteOfDatabase(String(name)) ?? []);
  }

  async close(): Promise<void> {
    clearInterval(this.#look);
    await this.#pool.end();
  }

  /** A site can lift the limits that its connection begins with, so somebody has to look; at all of them, or at one. */
  async endLongStatements({ of, ...limits }: Partial<SiteLimits> & { of?: string } = {}): Promise<void> {
    const { statementSeconds, transactionSeconds, idleSeconds } = { ...this.#limits, ...limits };
    const users = of === undefined ? 'user\\_%' : this.#names(of).site.user.replaceAll('_', '\\_');
    await this.#run(async (run) => {
      // One that does nothing keeps its place, and with a transaction open all that others have changed since.
      const long = await run(
        `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER LIKE ? AND COMMAND <> 'Daemon' AND TIME > CASE
           WHEN COMMAND <> 'Sleep' THEN ?
           WHEN ID IN (SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX) THEN ?
           ELSE ? END`,
        users,
        statementSeconds,
        transactionSeconds,
        idleSeconds,
      );
      for (const { id } of long) await run(`KILL HARD CONNECTION ${id}`).catch(() => {});
    });
  }

  /** The oldest files go first. The server keeps one that somebody reads, and the one that it writes. */
  async shortenLog(): Promise<void> {
    const { mostLogBytes } = this.#options;
    if (mostLogBytes === undefined) return;
    await this.#run(async (run) => {
      const files = await run('SHOW BINARY LOGS');
      let bytes = 0;
      for (const [index, { File_size }] of [...files.entries()].reverse()) {
        bytes += Number(File_size);
        const next = files[index + 1];
        if (bytes > mostLogBytes && next) return void (await run('PURGE BINARY LOGS TO ?', next.Log_name));
      }
    });
  }

  async #prepare(): Promise<void> {
    await this.#run(async (run) => {
      const [row] = await run(
        'SELECT VERSION() AS version, @@log_bin AS log, @@binlog_format AS format, @@binlog_row_metadata AS metadata',
      );
      const version = String(row?.version);
      const [major = 0, minor = 0] = version.split('.').map(Number);
      const [oldMajor = 0, oldMinor = 0] = OLDEST;
      if (!/mariadb/i.test(version) || major < oldMajor || (major === oldMajor && minor < oldMinor))
        throw new Error(`The server of MARIADB_URL is ${version}; it has to be MariaDB ${OLDEST.join('.')} or later.`);
      if (Number(row?.log) !== 1 || row?.format !== 'ROW' || row?.metadata !== 'FULL')
        throw new Error(
          'The server of MARIADB_URL has to write its log of changed rows: set log_bin, binlog_format=ROW and binlog_row_metadata=FULL.',
        );
      await this.#account(run, this.#binlog, '');
      await run(`GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO ${this.#at(this.#binlog.user)}`);
    });
  }

  async #grant(run: Run, { database, site, keeper }: SiteNames): Promise<void> {
    const { connections, statementSeconds } = this.#limits;
    await this.#account(run, site, `WITH MAX_USER_CONNECTIONS ${connections} MAX_STATEMENT_TIME ${statementSeconds}`);
    await this.#account(run, keeper, '');
    await run(`GRANT ${READING}, ${WRITING} ON ${pattern(database)}.* TO ${this.#at(site.user)}`);
    // Also for drafts, and for copies that a rehearsal makes.
    for (const name of [pattern(database), `\`${database.replaceAll('_', '\\_')}\\_%\``])
      await run(`GRANT ALL PRIVILEGES ON ${name}.* TO ${this.#at(keeper.user)}`);
  }

  async #account(run: Run, { user, password }: Account, options: string): Promise<void> {
    const by = `IDENTIFIED VIA mysql_native_password USING PASSWORD('${password}')`;
    await run(`CREATE USER IF NOT EXISTS ${this.#at(user)} ${by} ${options}`);
    await run(`ALTER USER ${this.#at(user)} ${by} ${options}`);
  }

  /** A view can not move to another database, but it can be made there, for the account that is ours alone. */
  async #viewStatement(run: Run, name: string, database: string, siteId: string): Promise<string> {
    await run(`USE ${database}`);
    const [row] = await run(`SHOW CREATE VIEW ${quoteName(name)}`);
    const sql = String(row?.['Create View']).replace(/^CREATE .*?(?=SQL SECURITY)/, '');
    return `CREATE OR REPLACE DEFINER=${this.#at(this.#names(siteId).keeper.user)} ${sql}`;
  }

  #names(siteId: string): SiteNames {
    return namesOf(siteId, this.#options.secret);
  }

  /** By a socket nobody comes from elsewhere. */
  #at(user: string): string {
    return `${user}@${this.#options.access.address.socket === undefined ? "'%'" : 'localhost'}`;
  }

  async #run<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const connection: PoolConnection = await this.#pool.getConnection();
    try {
      return await work(async (sql, ...values) => {
        const answer = await connection.query(sql, values);
        return Array.isArray(answer) ? answer : [];
      });
    } finally {
      await connection.release();
    }
  }
}

type Run = (sql: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>;

/** The name of a database in a grant is a pattern. */
function pattern(database: string): string {
  return `\`${database.replaceAll('_', '\\_')}\``;
}

async function tablesOf(run: Run, database: string): Promise<{ name: string; isView: boolean }[]> {
  const rows = await run(
    'SELECT TABLE_NAME AS name, TABLE_TYPE AS type FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
    database,
  );
  return rows.map(({ name, type }) => ({ name: String(name), isView: type === 'VIEW' }));
}

async function endConnections(run: Run, users: readonly string[]): Promise<void> {
  for (const user of users) {
    const rows = await run('SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = ?', user);
    // It may have ended by itself.
    for (const { id } of rows) await run(`KILL HARD CONNECTION ${id}`).catch(() => {});
  }
}
