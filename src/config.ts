import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { siteHostParts } from '#core/cluster.ts';
import { isWithin, readHostName, registrableDomain } from '#core/host-name.ts';
import type { PlatformDoor } from '#core/platform-door.ts';
import { readUpdateKey } from '#integrations/dns/tsig.ts';
import type { ZoneServer } from '#integrations/dns/zone-updates.ts';
import type { StorePlace } from '#timemachine/stores/open-store.ts';
import { type Env, readVariables } from './config/read-variables.ts';
import { DRIVERS, MAX_OAUTH_LENGTH, ROLES, rolesIn, type Variables } from './config/variables.ts';

export { MAX_OAUTH_LENGTH };

/** Marks a process that another one has started to share its ports. */
export const SHARES_PORTS = '--shares-ports';

/**
 * The whole configuration, read once from the environment (config/variables.ts). Every fault is named in one message, so
 * that an operator mends a deployment in one go.
 */
export interface Config {
  /** What this process does. `all` is every role, and the embedded Postgres where no other one is named. */
  roles: ReadonlySet<ProgramRole>;
  host: string;
  port: number;
  /** How many processes answer on the ports together, this one included. */
  edgeProcesses: number;
  /** Whether this process was started by the first of those, which has all other ports to itself (platform/port-group). */
  sharesPorts: boolean;
  /** Where TLS is spoken; undefined: nowhere, and who wants it puts a proxy in front. */
  httpsPort: number | undefined;
  /** Where certificates come from; undefined: only from those who upload theirs. `zoneServer`: who takes records for the domain of sites. */
  acme: { directory: string; email: string | undefined; zoneServer: ZoneServer | undefined } | undefined;
  /** For how long browsers shall come to sites with TLS alone; 0: not said. */
  hstsSeconds: number;
  dataDir: string;
  /** Undefined: the embedded Postgres under dataDir. */
  databaseUrl: string | undefined;
  databasePoolSize: number;
  /** The platform's own address, without a slash at the end. Links are built from it, never from a Host header. */
  baseUrl: string;
  /** New sites live under this domain. */
  siteDomain: string;
  /** Where staging sites live. */
  stageDomain: string;
  /** The address that DNS records of hosted sites should point to. */
  publicIp: string;
  /** Undefined: made at the first start and kept under dataDir. */
  secretKey: string | undefined;
  /** Keys of before, which still open what was sealed and signed with them. */
  previousSecretKeys: string[];
  /** Where people come in by ssh; undefined: they do not. */
  sshPort: number | undefined;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  /** Addresses whose X-Forwarded-* headers count. */
  trustProxy: string[];
  rateLimitFactor: number;
  logLevel: string;
  metricsToken: string | undefined;
  metricsPort: number | undefined;
  /** The operator's Grafana, without a slash at the end. */
  metricsUrl: string | undefined;
  /** Where a sign-in to it may lead back to, compared letter by letter; none: nobody can sign in to it here. */
  metricsRedirectUris: string[];
  metricsClientId: string;
  /** Undefined: made from the platform's key. */
  metricsClientSecret: string | undefined;
  /** Where WordPress and the images made from it are kept; may be shared by several platforms. */
  cacheDir: string;
  /** Where newer versions of WordPress come from; undefined: only the one that npm has. */
  wordpressSource: { api: string; downloads: string } | undefined;
  /** Where new sites go. The host is also the one that this process is, where it has that role. */
  newSites: { host: string; driver: string };
  /** What new sites keep their rows in, and the operator's server for that. */
  siteDatabases: { newSites: 'sqlite' | 'mariadb'; url: string | undefined };
  /** Whether the templates of our own making are there. */
  shippedTemplates: boolean;
  /** The largest archive that a site can be imported from. */
  importMaxBytes: number;
  /** Where other processes reach the sites of this one, as address:port; undefined: over a socket under dataDir. */
  hostAddress: string | undefined;
  /** The Kubernetes clusters that sites can be on, by name, and how each is reached. */
  clusters: ReadonlyMap<string, 'in-cluster' | { kubeconfig: string }>;
  sitePods: SitePods;
  /** Where a worker listens for those pods. */
  podDoorAddress: string | undefined;
  /** In the pod of a site: whom it asks in place of a database, and what it shows there. */
  platformDoor: PlatformDoor | undefined;
  /** Warm PHP processes that wait for the next site to wake. */
  standbyWorkers: number;
  /** What PHP processes may use of the machine's memory, in all. */
  phpMemoryMb: number;
  /** A request that takes PHP longer is ended. */
  phpTimeoutSeconds: number;
  /** A site's process ends after so long without a request; the next one starts it again. */
  phpIdleMinutes: number;
  /** Processes that a site may have while several visitors wait for it, where there is memory. */
  phpProcessesPerSite: number;
  /** After so many requests a process makes way for a fresh one. */
  phpRequestsPerProcess: number;
  /** How well PHP itself is compiled: for the speed of pages, or for a quick start in little memory. */
  phpCompiler: 'optimizing' | 'baseline';
  sandbox: 'auto' | 'uids' | 'root' | 'user' | 'none';
  /** The Chromium that takes pictures of sites, or `off`; undefined: the one that the machine has. */
  browser: string | undefined;
  /** Where backups are kept. */
  backupStore: StorePlace;
  /** Whether each host of sites keeps them under its own name there. */
  areBackupsPerHost: boolean;
  /** What this disk holds of a store that is far away: copies, and what has not come there yet. */
  backupQueue: { cacheBytes: number; queueBytes: number };
  /** Whether new backups are sealed; what is kept can be read in either case. */
  areBackupsSealed: boolean;
  /** Processes that take backups side by side. */
  backupProcesses: number;
  restoreLeavesFreeBytes: number;
  /** How long the log of a site is kept. */
  siteLogDays: number;
  /** The Plausible that analytics-proxy speaks to; undefined: none. */
  analytics: { url: string; token: string } | undefined;
  /** The domain, with a port where it is not 443, that shops are found under. */
  storefrontDomain: string;
  /** Networks, as CIDR ranges, that the platform and its sites may call besides public addresses. */
  outboundAllow: string[];
  /** How teams pay: through Stripe, through the built-in provider that takes no money, or not at all. */
  billing: 'stripe' | 'test' | 'none';
  stripe: { secretKey: string; webhookSecret: string; apiUrl: string } | undefined;
  /** The model behind the support assistant; undefined: its built-in helper answers. */
  assistantModel: { url: string; key: string; model: string } | undefined;
  /** How long an answer of the assistant may take. */
  assistantTimeoutSeconds: number;
  /** How many tokens of the model a team may use within a day. */
  assistantDailyTokens: number;
  /** Whom to ask for names, as `address` or `address:port`; none: the machine's own resolver. */
  dnsServers: string[];
  /** Folders whose repositories file: URLs may name; none: no such URL is taken. */
  gitFileRoots: string[];
}

/** What the pods of sites on a cluster have in common. */
export interface SitePods {
  namespace: string;
  image: string;
  pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** What all of them have in their environment. */
  secret: string;
  /** Where they reach the platform. */
  platformDoor: string;
  storageClass: string | undefined;
  seccomp: string;
  havePriorities: boolean;
  cacheDir: string;
  idleMs: number;
  wakeMs: number;
}

/** What sites can run on without a driver from outside of the product. */
export type DriverName = (typeof DRIVERS)[number];
export type ProgramRole = (typeof ROLES)[number];

interface ConfigOptions {
  /** The arguments of the program. */
  args?: readonly string[];
  /** Names of the drivers that the program has besides the product's (platform/drivers.ts). */
  extraDrivers?: readonly string[];
}

export function readConfig(env: Env, { args = [], extraDrivers = [] }: ConfigOptions = {}): Config {
  const role = args.find((arg) => arg.startsWith('--role='))?.slice('--role='.length) ?? env.ROLE;
  const faults: string[] = [];
  const variables = readVariables({ ...env, ROLE: role }, faults);
  const drivers: readonly string[] = [...DRIVERS, ...extraDrivers];
  if (!drivers.includes(variables.RUNTIME)) faults.push(`RUNTIME must be one of ${drivers.join(', ')}`);
  const config: Config = {
    ...readPlace(variables),
    sharesPorts: args.includes(SHARES_PORTS),
    ...readClusters(variables),
    ...readTls(variables),
    ...readAccess(variables),
    ...readBackups(variables),
    ...readMetrics(variables),
    ...readPhp(variables),
    ...readOutside(variables),
    ...readMoney(variables),
    ...readAssistant(variables),
  };
  faults.push(...findContradictions(variables, config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Where it runs, and under which names. */
function readPlace(variables: Variables) {
  const { ROLE, PORT, HTTPS_PORT, BASE_URL, SITE_DOMAIN, STAGE_DOMAIN, CACHE_DIR } = variables;
  const ownAddress = HTTPS_PORT === undefined ? `http://localhost:${PORT}` : `https://localhost:${HTTPS_PORT}`;
  const dataDir = resolve(variables.DATA_DIR);
  return {
    roles: new Set(ROLE === 'all' ? ROLES : (rolesIn(ROLE) as ProgramRole[])),
    host: variables.HOST,
    port: PORT,
    edgeProcesses: Math.floor(variables.EDGE_PROCESSES ?? (ROLE === 'all' ? processesForMachine() : 1)),
    dataDir,
    cacheDir: resolve(CACHE_DIR ?? join(dataDir, 'cache')),
    databaseUrl: variables.DATABASE_URL,
    databasePoolSize: variables.DATABASE_POOL_SIZE,
    baseUrl: withoutSlash(BASE_URL ?? ownAddress),
    siteDomain: SITE_DOMAIN.toLowerCase(),
    stageDomain: (STAGE_DOMAIN ?? SITE_DOMAIN).toLowerCase(),
    publicIp: variables.PUBLIC_IP,
    newSites: { host: variables.SITE_HOST, driver: variables.RUNTIME },
    hostAddress: variables.SITE_HOST_ADDRESS,
    shippedTemplates: variables.SHIPPED_TEMPLATES === 'on',
    importMaxBytes: variables.IMPORT_MAX_MB * 1_000_000,
    logLevel: variables.LOG_LEVEL,
  };
}

const GB = 1024 ** 3;

/** A machine where another process would cost more than it gives has one: sites need the processor and the memory, too. */
function processesForMachine(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  const most = Math.min(availableParallelism() / 2, memory / (4 * GB), 8);
  return Math.max(1, Math.floor(most));
}

function readClusters(variables: Variables): Pick<Config, 'clusters' | 'sitePods' | 'podDoorAddress' | 'platformDoor'> {
  const { PLATFORM_DOOR: address, POD_KEY: key = '', POD_CERTIFICATE: cert = '', POD_AUTHORITY: ca = '' } = variables;
  const clusters = variables.CLUSTERS.map((entry) => {
    const [name = '', way = ''] = [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)];
    return [name, way === 'in-cluster' ? way : { kubeconfig: way }] as const;
  });
  return {
    clusters: new Map(clusters),
    podDoorAddress: variables.POD_DOOR_ADDRESS,
    platformDoor: address === undefined ? undefined : { address, tls: { key, cert, ca } },
    sitePods: {
      namespace: variables.KUBE_NAMESPACE,
      image: variables.KUBE_SITE_IMAGE ?? '',
      pullPolicy: variables.KUBE_PULL_POLICY,
      secret: variables.KUBE_SITE_SECRET,
      platformDoor: variables.KUBE_PLATFORM_DOOR ?? '',
      storageClass: variables.KUBE_STORAGE_CLASS,
      seccomp: variables.KUBE_SECCOMP,
      havePriorities: variables.KUBE_PRIORITY_CLASSES === 'on',
      cacheDir: variables.KUBE_CACHE_DIR,
      idleMs: variables.KUBE_IDLE_MINUTES * 60_000,
      wakeMs: variables.KUBE_WAKE_SECONDS * 1000,
    },
  };
}

const DNS_PORT = 53;
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

function readTls(variables: Variables) {
  const { HTTPS_PORT, ACME_DIRECTORY: directory = LETS_ENCRYPT, ACME_EMAIL: email, HSTS_SECONDS } = variables;
  const gets = HTTPS_PORT !== undefined && directory !== 'off';
  return {
    httpsPort: HTTPS_PORT,
    acme: gets ? { directory, email, zoneServer: readZoneServer(variables) } : undefined,
    hstsSeconds: HSTS_SECONDS,
  };
}

function readZoneServer({ DNS_UPDATE_SERVER: server, DNS_UPDATE_KEY }: Variables): ZoneServer | undefined {
  const key = readUpdateKey(DNS_UPDATE_KEY ?? '');
  if (server === undefined || !key) return undefined;
  if (isIP(server) !== 0) return { address: server, port: DNS_PORT, key };
  const [, address = '', port] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(server) ?? [];
  return { address, port: Number(port ?? DNS_PORT), key };
}

function readBackups(
  variables: Variables,
): Pick<Config, 'backupStore' | 'areBackupsPerHost' | 'backupQueue' | 'areBackupsSealed'> {
  const { BACKUP_STORE: place, DATA_DIR, AWS_REGION: region } = variables;
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place ?? '') ?? [];
  const amazon = `https://s3.${region}.amazonaws.com`;
  const token = variables.AWS_SESSION_TOKEN;
  return {
    backupStore:
      bucket === undefined
        ? { kind: 'disk', folder: place ?? join(resolve(DATA_DIR), 'backups') }
        : {
            kind: 's3',
            account: {
              endpoint: withoutSlash(variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL ?? amazon),
              region,
              bucket,
              prefix: path === '' ? '' : `${path}/`,
              accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
              secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
              ...(token === undefined ? {} : { sessionToken: token }),
            },
          },
    areBackupsPerHost: variables.BACKUP_PER_HOST === 'on',
    backupQueue: {
      cacheBytes: variables.BACKUP_CACHE_MB * 1024 ** 2,
      queueBytes: variables.BACKUP_QUEUE_MB * 1024 ** 2,
    },
    areBackupsSealed: variables.BACKUP_ENCRYPTION === 'on',
  };
}

function readAccess(variables: Variables) {
  return {
    secretKey: variables.SECRET_KEY,
    previousSecretKeys: variables.SECRET_KEY_PREVIOUS,
    adminEmail: variables.ADMIN_EMAIL?.toLowerCase(),
    adminPassword: variables.ADMIN_PASSWORD,
    trustProxy: variables.TRUST_PROXY,
    rateLimitFactor: variables.RATE_LIMIT_FACTOR,
    sshPort: variables.SSH_PORT,
  };
}

function readMetrics(variables: Variables) {
  const { METRICS_URL, METRICS_REDIRECT_URIS: listed } = variables;
  const metricsUrl = METRICS_URL && withoutSlash(METRICS_URL);
  return {
    metricsToken: variables.METRICS_TOKEN,
    metricsPort: variables.METRICS_PORT,
    metricsUrl,
    // Where Grafana itself expects the browser back.
    metricsRedirectUris: listed.length === 0 && metricsUrl ? [`${metricsUrl}/login/generic_oauth`] : listed,
    metricsClientId: variables.METRICS_CLIENT_ID,
    metricsClientSecret: variables.METRICS_CLIENT_SECRET,
  };
}

function readPhp(variables: Variables) {
  const { SITE_DATABASE, MARIADB_URL } = variables;
  return {
    siteDatabases: {
      newSites: SITE_DATABASE ?? (MARIADB_URL === undefined ? 'sqlite' : 'mariadb'),
      url: MARIADB_URL,
    } as const,
    wordpressSource: readSource(variables.WORDPRESS_SOURCE),
    standbyWorkers: variables.STANDBY_WORKERS,
    phpMemoryMb: variables.PHP_MEMORY_MB,
    phpTimeoutSeconds: variables.PHP_TIMEOUT_SECONDS,
    phpIdleMinutes: variables.PHP_IDLE_MINUTES,
    phpProcessesPerSite: variables.PHP_PROCESSES_PER_SITE,
    phpRequestsPerProcess: variables.PHP_REQUESTS_PER_PROCESS,
    phpCompiler: variables.PHP_COMPILER,
    sandbox: variables.SANDBOX,
    browser: variables.BROWSER,
    backupProcesses: variables.BACKUP_PROCESSES,
    siteLogDays: variables.SITE_LOG_DAYS,
    restoreLeavesFreeBytes: variables.RESTORE_LEAVES_FREE_MB * 1024 ** 2,
  };
}

/** A mirror has both the answers and the archives of wordpress.org. */
function readSource(source: string | undefined): Config['wordpressSource'] {
  if (source === 'npm') return undefined;
  const mirror = source && withoutSlash(source);
  return { api: mirror ?? 'https://api.wordpress.org', downloads: mirror ?? 'https://wordpress.org' };
}

function readOutside(variables: Variables) {
  const { ANALYTICS_URL: analyticsUrl, ANALYTICS_TOKEN: analyticsToken } = variables;
  return {
    smtpUrl: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM,
    outboundAllow: variables.OUTBOUND_ALLOW.map((entry) =>
      entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`,
    ),
    dnsServers: variables.DNS_SERVERS,
    gitFileRoots: variables.GIT_FILE_ROOTS,
    analytics: analyticsUrl && analyticsToken ? { url: withoutSlash(analyticsUrl), token: analyticsToken } : undefined,
    storefrontDomain: variables.STOREFRONT_DOMAIN.toLowerCase(),
  };
}

function readMoney(variables: Variables): Pick<Config, 'billing' | 'stripe'> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret = '' } = variables;
  const apiUrl = variables.STRIPE_API_URL ?? 'https://api.stripe.com';
  if (secretKey) return { billing: 'stripe', stripe: { secretKey, webhookSecret, apiUrl } };
  const mayTest = variables.BILLING === 'test' || servesLoopback(readPlace(variables).baseUrl);
  return { billing: mayTest ? 'test' : 'none', stripe: undefined };
}

function readAssistant(variables: Variables) {
  const { ASSISTANT_URL: url, ASSISTANT_KEY: key, ASSISTANT_MODEL: model } = variables;
  return {
    assistantModel: url && model ? { url: withoutSlash(url), key: key ?? 'none', model } : undefined,
    assistantTimeoutSeconds: variables.ASSISTANT_TIMEOUT_SECONDS,
    assistantDailyTokens: variables.ASSISTANT_DAILY_TOKENS,
  };
}

/** Only this machine can open the platform, so nobody takes the test checkout for a real one. */
function servesLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const isLoopbackAddress = host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
  return isLoopbackAddress || host === 'localhost' || host.endsWith('.localhost');
}

/** What no variable is wrong in by itself. */
function findContradictions(variables: Variables, { metricsUrl, baseUrl, siteDomain, stageDomain }: Config): string[] {
  const { ROLE, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } = variables;
  const isPod = variables.PLATFORM_DOOR !== undefined;
  const ownDomain = registrableDomain(URL.parse(baseUrl)?.hostname ?? '');
  const sharedDomain = (name: string, domain: string): [boolean, string] => [
    ownDomain !== undefined && isWithin(readHostName(domain) ?? domain, ownDomain),
    `${name} must not be within ${ownDomain}, the domain of BASE_URL, for sites there could set cookies of the dashboard; use another registered domain`,
  ];
  const contradictions: [boolean, string][] = [
    [
      variables.HTTPS_PORT !== undefined && !baseUrl.startsWith('https:'),
      'HTTPS_PORT needs a BASE_URL that starts with https://, for links to sites begin like it',
    ],
    [
      variables.HTTPS_PORT !== undefined && variables.HTTPS_PORT === variables.PORT,
      'HTTPS_PORT must be another port than PORT',
    ],
    [
      variables.HTTPS_PORT === undefined && (variables.ACME_DIRECTORY ?? variables.ACME_EMAIL) !== undefined,
      'ACME_DIRECTORY and ACME_EMAIL need HTTPS_PORT',
    ],
    [
      (variables.DNS_UPDATE_SERVER === undefined) !== (variables.DNS_UPDATE_KEY === undefined),
      'DNS_UPDATE_SERVER and DNS_UPDATE_KEY need each other',
    ],
    [
      variables.DNS_UPDATE_SERVER !== undefined &&
        (variables.HTTPS_PORT === undefined || variables.ACME_DIRECTORY === 'off'),
      'DNS_UPDATE_SERVER is for certificates, and needs HTTPS_PORT and an ACME_DIRECTORY',
    ],
    [metricsUrl !== undefined && /[?#]/.test(metricsUrl), 'METRICS_URL must have no query and no fragment'],
    [
      (variables.ANALYTICS_URL === undefined) !== (variables.ANALYTICS_TOKEN === undefined),
      'ANALYTICS_URL and ANALYTICS_TOKEN need each other',
    ],
    [
      !STRIPE_SECRET_KEY && (STRIPE_WEBHOOK_SECRET ?? STRIPE_API_URL) !== undefined,
      'STRIPE_WEBHOOK_SECRET and STRIPE_API_URL need STRIPE_SECRET_KEY',
    ],
    [
      (variables.ASSISTANT_URL === undefined) !== (variables.ASSISTANT_MODEL === undefined),
      'ASSISTANT_URL and ASSISTANT_MODEL need one another',
    ],
    [STRIPE_SECRET_KEY !== undefined && !STRIPE_WEBHOOK_SECRET, 'STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET'],
    [
      STRIPE_SECRET_KEY !== undefined && variables.BILLING === 'test',
      'BILLING=test and STRIPE_SECRET_KEY exclude one another',
    ],
    [
      variables.BACKUP_STORE?.startsWith('s3:') === true &&
        !isPod &&
        (variables.AWS_ACCESS_KEY_ID === undefined || variables.AWS_SECRET_ACCESS_KEY === undefined),
      'BACKUP_STORE in a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ],
    [
      variables.RUNTIME !== 'fpm' && (variables.MARIADB_URL !== undefined || variables.SITE_DATABASE === 'mariadb'),
      'SITE_DATABASE=mariadb and MARIADB_URL need RUNTIME=fpm',
    ],
    [variables.CLUSTERS.length > 0 && !variables.KUBE_SITE_IMAGE, 'CLUSTERS needs KUBE_SITE_IMAGE'],
    [
      variables.CLUSTERS.length > 0 && !variables.KUBE_PLATFORM_DOOR,
      'CLUSTERS needs KUBE_PLATFORM_DOOR, where the pods of sites reach the workers',
    ],
    [
      variables.CLUSTERS.length > 0 && rolesIn(ROLE).includes('worker') && !variables.POD_DOOR_ADDRESS,
      'a worker with CLUSTERS needs POD_DOOR_ADDRESS, where it listens for the pods of sites',
    ],
    [
      isPod !== (siteHostParts(variables.SITE_HOST) !== undefined),
      'PLATFORM_DOOR and a SITE_HOST that names a site are for the pod of that site, and need each other',
    ],
    [
      isPod && (ROLE !== 'host' || !variables.POD_KEY || !variables.POD_CERTIFICATE || !variables.POD_AUTHORITY),
      'PLATFORM_DOOR needs ROLE=host, POD_KEY, POD_CERTIFICATE and POD_AUTHORITY',
    ],
    [
      isPod && (variables.SITE_HOST_ADDRESS === undefined || variables.BACKUP_PER_HOST === 'off'),
      'PLATFORM_DOOR needs SITE_HOST_ADDRESS and BACKUP_PER_HOST=on',
    ],
    [
      isPod && (variables.DATABASE_URL ?? variables.SECRET_KEY) !== undefined,
      'the pod of a site must have neither DATABASE_URL nor SECRET_KEY',
    ],
    [
      variables.CLUSTERS.length > 0 && variables.BACKUP_PER_HOST === 'off',
      'CLUSTERS needs BACKUP_PER_HOST=on, for each site on a cluster writes its own backups',
    ],
    [
      variables.CLUSTERS.length > 0 && rolesIn(ROLE).some((role) => role === 'all' || role === 'host'),
      'CLUSTERS is for processes that have no sites inside: ROLE must not be all, nor have host in it',
    ],
    sharedDomain('SITE_DOMAIN', siteDomain),
    [
      siteDomain !== stageDomain && isWithin(siteDomain, stageDomain),
      'SITE_DOMAIN must not be within STAGE_DOMAIN, whose names are for staging sites alone',
    ],
    ...(variables.STAGE_DOMAIN === undefined ? [] : [sharedDomain('STAGE_DOMAIN', stageDomain)]),
    [
      ROLE !== 'all' && !isPod && !variables.DATABASE_URL,
      `ROLE=${ROLE} needs DATABASE_URL: only 'all' runs the embedded Postgres`,
    ],
    [ROLE !== 'all' && !isPod && !variables.SECRET_KEY, `ROLE=${ROLE} needs SECRET_KEY, the same for every process`],
  ];
  return contradictions.filter(([isThere]) => isThere).map(([, sentence]) => sentence);
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
