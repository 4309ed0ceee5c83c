/** What a site's PHP needs to reach its database: the constants of wp-config.php. */
export interface DatabaseAccess {
  /** DB_HOST as WordPress reads it: `localhost:/path/of/the/socket`, or `host:port`. */
  host: string;
  name: string;
  user: string;
  password: string;
  /** The socket that a sandbox has to show to the site; undefined where the server is reached by the network. */
  socket: string | undefined;
  /** The server asks for TLS (MYSQL_CLIENT_FLAGS of WordPress). */
  isEncrypted: boolean;
}

/** How a server is reached. */
export interface ServerAddress {
  socket?: string;
  host?: string;
  port?: number;
  /** Certificates are looked at unless an operator has said otherwise. */
  tls?: 'verified' | 'unverified';
}

/** A database of a site, as the time machine is told of it: data that can cross the border of a process. */
export interface MariadbDescription {
  kind: 'mariadb';
  server: ServerAddress;
  name: string;
  /** An account that is ours and has this database alone; the site's limits do not hold for it. */
  account: Account;
  /** An account that may read the server's log of changes; without one, all rows are looked at. */
  binlog: Account | undefined;
}

export interface Account {
  user: string;
  password: string;
}

/**
 * The databases of sites on one MariaDB: each site has one, with an account of its own that reaches nothing else. Every call
 * may be repeated after a kill.
 */
export interface SiteDatabases {
  /** Makes an empty database with its accounts; one that is there stays as it is, and gets its rights again. */
  create(siteId: string): Promise<void>;
  /** Removes all of it, an archived one too; one that is not there is removed already. */
  drop(siteId: string): Promise<void>;
  /** A database that nobody uses yet, empty. `publish` puts it in the place of the site's own, `drop` removes it as well. */
  makeDraft(siteId: string): Promise<MariadbDescription>;
  /** Makes the draft the site's database, whatever it had before; without a draft nothing is done. */
  publish(siteId: string): Promise<void>;
  /** Shuts the site's account out and keeps everything. */
  archive(siteId: string): Promise<void>;
  unarchive(siteId: string): Promise<void>;
  access(siteId: string): DatabaseAccess;
  describe(siteId: string): MariadbDescription;
  /** What the tables take of the disk. */
  sizeBytes(siteId: string): Promise<number>;
  /** Without room the site reads and removes, and nothing more; with room it writes again. */
  setWritable(siteId: string, isWritable: boolean): Promise<void>;
  /** Gives room back that removed rows had; false where there is none. */
  compact(siteId: string): Promise<boolean>;
  /** The sites that have a database here. */
  list(): Promise<string[]>;
  close(): Promise<void>;
}
