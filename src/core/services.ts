import type { Kysely } from 'kysely';
import type { LocalHost } from '#host/local-host.ts';
import type { SiteHost } from '#host/site-host.ts';
import type { SiteLog } from '#host/site-log/site-log.ts';
import type { Config } from '../config.ts';
import type { Credentials } from './auth/credentials.ts';
import type { Browser } from './browser.ts';
import type { Cluster } from './cluster.ts';
import type { Listener } from './db/listener.ts';
import type { Locks } from './db/locks.ts';
import type { DB } from './db/schema.generated.ts';
import type { Dns } from './dns.ts';
import type { EventHub } from './events/hub.ts';
import type { Git } from './git.ts';
import type { GitHosts } from './git-hosts.ts';
import type { FrontEnd } from './http/front-end.ts';
import type { RateLimits } from './http/rate-limits.ts';
import type { JobQueue } from './jobs/queue.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail.ts';
import type { Model } from './model.ts';
import type { Outbound } from './outbound.ts';
import type { Payments } from './payments.ts';
import type { Secrets } from './secrets.ts';
import type { SiteChanges } from './site-changes.ts';

/** What main.ts builds once and every operation and job may use. */
export interface Services {
  /** This process of the platform, as the others know it. */
  processId: string;
  config: Config;
  log: Log;
  db: Kysely<DB>;
  /** Hears what the database announces. */
  listener: Listener;
  /** What only one process may do at a time. */
  locks: Locks;
  secrets: Secrets;
  credentials: Credentials;
  events: EventHub;
  jobs: JobQueue;
  limits: RateLimits;
  mailer: Mailer;
  frontEnd: FrontEnd;
  /** The way to every address that a user can name. */
  outbound: Outbound;
  /** Tells what the records of a name say. */
  dns: Dns;
  /** Reads repositories of others. */
  git: Git;
  /** What Git hosts tell of an account. */
  gitHosts: GitHosts;
  /** Where money comes from; undefined where nothing can be bought. */
  payments: Payments | undefined;
  /** What takes pictures of sites; undefined where there is none, and they are drawn. */
  browser: Browser | undefined;
  /** What the support assistant thinks with; undefined where its built-in helper answers. */
  model: Model | undefined;
  /** Those that sites can be on, by name, as far as this process speaks to them. */
  clusters: ReadonlyMap<string, Cluster>;
  /** Where sites are, wherever that is. */
  hosts: SiteHost;
  /** The one in this process, where it has one: for what is about its processes and not about a site. */
  localHost: LocalHost | undefined;
  /** Tells which of them changed. */
  siteChanges: SiteChanges;
  /** Takes what their owners read in their logs: what went wrong in them, and who came. */
  siteLog: SiteLog;
}
