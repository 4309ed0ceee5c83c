import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { isWithin, readHost, readHostName, registrableDomain } from '#core/host-name.ts';

/**
 * The whole configuration, read once from the environment. Every fault is named in one message, so that an operator
 * mends a deployment in one go.
 */
const ROLES = ['api', 'worker', 'edge'] as const;
export type ProgramRole = (typeof ROLES)[number];

export interface Config {
  /** What this process does. `all` is every role, and the embedded Postgres where no other one is named. */
  roles: ReadonlySet<ProgramRole>;
  host: string;
  port: number;
  dataDir: string;
  /** Undefined: the embedded Postgres under dataDir. */
  databaseUrl: string | undefined;
  databasePoolSize: number;
  /** The platform's own address, without a slash at the end. Links are built from it, never from a Host header. */
  baseUrl: string;
  /** New sites live under this domain. */
  siteDomain: string;
  /** The address that DNS records of hosted sites should point to. */
  publicIp: string;
  /** Undefined: made at the first start and kept under dataDir. */
  secretKey: string | undefined;
  /** Keys of before, which still open what was sealed and signed with them. */
  previousSecretKeys: string[];
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
  /** Processes that take backups side by side. */
  backupProcesses: number;
  /** The Plausible that analytics-proxy speaks to; undefined: none. */
  analytics: { url: string; token: string } | undefined;
  /** The domain, with a port where it is not 443, that shops are found under. */
  storefrontDomain: string;
  /** Networks, as CIDR ranges, that the platform and its sites may call besides public addresses. */
  outboundAllow: string[];
  /** How teams pay: through Stripe, through the built-in provider that takes no money, or not at all. */
  billing: 'stripe' | 'test' | 'none';
  stripe: { secretKey: string; webhookSecret: string; apiUrl: string } | undefined;
  /** Whom to ask for names, as `address` or `address:port`; none: the machine's own resolver. */
  dnsServers: string[];
  /** Folders whose repositories file: URLs may name; none: no such URL is taken. */
  gitFileRoots: string[];
}

/** The longest value that the sign-in to the metrics dashboard reads; what is configured longer could never be sent rightly. */
export const MAX_OAUTH_LENGTH = 2000;

type Env = Record<string, string | undefined>;

export function readConfig(env: Env, args: readonly string[] = []): Config {
  const faults: string[] = [];
  const text = (name: string) => env[name]?.trim() || undefined;
  const number = (name: string, fallback: number, min: number, max: number) => {
    const value = Number(text(name) ?? fallback);
    if (!Number.isFinite(value) || value < min || value > max)
      faults.push(`${name} must be a number from ${min} to ${max}`);
    return value;
  };
  const choice = <T extends string>(name: string, value: string, choices: readonly T[]): T => {
    if (!choices.includes(value as T)) faults.push(`${name} must be one of ${choices.join(', ')}`);
    return value as T;
  };
  const url = (name: string, protocols: string[]) => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      faults.push(
        `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return value;
  };

  const port = number('PORT', 8080, 0, 65_535);
  const metricsPort = text('METRICS_PORT') === undefined ? undefined : number('METRICS_PORT', 0, 1, 65_535);
  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) faults.push('DATABASE_URL must start with postgres://');
  const adminEmail = text('ADMIN_EMAIL')?.toLowerCase();
  if (adminEmail && !adminEmail.includes('@')) faults.push('ADMIN_EMAIL must be an email address');
  const adminPassword = text('ADMIN_PASSWORD');
  if (adminPassword && adminPassword.length < 8) faults.push('ADMIN_PASSWORD must have at least 8 characters');
  const secretKey = text('SECRET_KEY');
  if (secretKey && secretKey.length < 32) faults.push('SECRET_KEY must have at least 32 characters');
  const list = (name: string) => (text(name) ?? '').split(/[,\s]+/).filter(Boolean);
  const networks = (name: string) => {
    const entries = list(name);
    for (const entry of entries) {
      // Node's reader of the address, since ipaddr.js would take 10/8; then its reader of the whole range.
      const isNetwork = isIP(entry.split('/')[0] ?? '') !== 0 && (!entry.includes('/') || ipaddr.isValidCIDR(entry));
      if (!isNetwork) faults.push(`${name} has '${entry}', which is no address or CIDR range`);
    }
    return entries;
  };
  const metricsUrl = url('METRICS_URL', ['http:', 'https:'])?.replace(/\/+$/, '');
  if (metricsUrl && /[?#]/.test(metricsUrl)) faults.push('METRICS_URL must have no query and no fragment');
  const metricsRedirectUris = list('METRICS_REDIRECT_URIS');
  for (const uri of metricsRedirectUris)
    if (!/^https?:\/\/[^#]+$/.test(uri) || !URL.canParse(uri) || uri.length > MAX_OAUTH_LENGTH)
      faults.push(`METRICS_REDIRECT_URIS has '${uri}', which is no http or https URL without a fragment`);
  const metricsClientId = text('METRICS_CLIENT_ID') ?? 'grafana';
  if (metricsClientId.length > MAX_OAUTH_LENGTH)
    faults.push(`METRICS_CLIENT_ID must have at most ${MAX_OAUTH_LENGTH} characters`);
  const metricsClientSecret = text('METRICS_CLIENT_SECRET');
  if (metricsClientSecret && (metricsClientSecret.length < 16 || metricsClientSecret.length > MAX_OAUTH_LENGTH))
    faults.push(`METRICS_CLIENT_SECRET must have 16 to ${MAX_OAUTH_LENGTH} characters`);
  const publicIp = text('PUBLIC_IP') ?? '127.0.0.1';
  if (isIP(publicIp) === 0) faults.push('PUBLIC_IP must be an IPv4 or IPv6 address');

  const analyticsUrl = url('ANALYTICS_URL', ['http:', 'https:']);
  const analyticsToken = text('ANALYTICS_TOKEN');
  if ((analyticsUrl === undefined) !== (analyticsToken === undefined))
    faults.push('ANALYTICS_URL and ANALYTICS_TOKEN need each other');
  // A key may hold blanks.
  const previousSecretKeys = (text('SECRET_KEY_PREVIOUS') ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  if (previousSecretKeys.some((key) => key.length < 32))
    faults.push('SECRET_KEY_PREVIOUS must be keys of at least 32 characters each, with commas between them');
  const baseUrl = (url('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`).replace(/\/+$/, '');
  const stripe = readStripe(text, url('STRIPE_API_URL', ['http:', 'https:']), faults);
  if (text('BILLING') !== undefined) choice('BILLING', text('BILLING') as string, ['test']);
  if (stripe && text('BILLING') === 'test') faults.push('BILLING=test and STRIPE_SECRET_KEY exclude one another');
  const mayTest = text('BILLING') === 'test' || servesLoopback(baseUrl);

  const dataDir = resolve(text('DATA_DIR') ?? './data');
  const roleFlag = args.find((arg) => arg.startsWith('--role='))?.slice('--role='.length);
  const role = roleFlag ?? text('ROLE') ?? 'all';
  const config: Config = {
    roles: new Set(role === 'all' ? ROLES : role.split(',').map((each) => choice('ROLE', each.trim(), ROLES))),
    host: text('HOST') ?? '127.0.0.1',
    port,
    dataDir,
    databaseUrl,
    databasePoolSize: number('DATABASE_POOL_SIZE', 10, 4, 500),
    baseUrl,
    siteDomain: (text('SITE_DOMAIN') ?? 'localhost').toLowerCase(),
    publicIp,
    secretKey,
    previousSecretKeys,
    adminEmail,
    adminPassword,
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('MAIL_FROM') ?? 'Siteyard <no-reply@localhost>',
    trustProxy: networks('TRUST_PROXY'),
    rateLimitFactor: number('RATE_LIMIT_FACTOR', 1, 0, 1_000_000),
    logLevel: choice('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      'silent',
    ]),
    metricsToken: text('METRICS_TOKEN'),
    metricsPort,
    metricsUrl,
    // Where Grafana itself expects the browser back.
    metricsRedirectUris:
      metricsRedirectUris.length === 0 && metricsUrl ? [`${metricsUrl}/login/generic_oauth`] : metricsRedirectUris,
    metricsClientId,
    metricsClientSecret,
    cacheDir: resolve(text('CACHE_DIR') ?? join(dataDir, 'cache')),
    wordpressSource:
      text('WORDPRESS_SOURCE') === 'npm' ? undefined : readSource(url('WORDPRESS_SOURCE', ['http:', 'https:'])),
    standbyWorkers: number('STANDBY_WORKERS', 1, 0, 64),
    phpMemoryMb: number('PHP_MEMORY_MB', Math.floor(totalmem() / 2 / 1024 / 1024), 256, 16_777_216),
    phpTimeoutSeconds: number('PHP_TIMEOUT_SECONDS', 60, 1, 3600),
    phpIdleMinutes: number('PHP_IDLE_MINUTES', 10, 0.01, 1440),
    phpProcessesPerSite: number('PHP_PROCESSES_PER_SITE', 4, 1, 64),
    phpRequestsPerProcess: number('PHP_REQUESTS_PER_PROCESS', 10_000, 1, 1_000_000_000),
    phpCompiler: choice('PHP_COMPILER', text('PHP_COMPILER') ?? 'optimizing', ['optimizing', 'baseline']),
    backupProcesses: number('BACKUP_PROCESSES', Math.max(1, Math.floor(availableParallelism() / 2)), 1, 64),
    analytics:
      analyticsUrl && analyticsToken ? { url: analyticsUrl.replace(/\/+$/, ''), token: analyticsToken } : undefined,
    storefrontDomain: (text('STOREFRONT_DOMAIN') ?? 'myshopify.com').toLowerCase(),
    outboundAllow: networks('OUTBOUND_ALLOW').map((entry) =>
      entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`,
    ),
    dnsServers: list('DNS_SERVERS'),
    gitFileRoots: list('GIT_FILE_ROOTS'),
    billing: stripe ? 'stripe' : mayTest ? 'test' : 'none',
    stripe,
  };
  const ownDomain = registrableDomain(URL.parse(baseUrl)?.hostname ?? '');
  if (ownDomain !== undefined && isWithin(readHostName(config.siteDomain) ?? config.siteDomain, ownDomain))
    faults.push(
      `SITE_DOMAIN must not be within ${ownDomain}, the domain of BASE_URL, for sites there could set cookies of the dashboard; use another registered domain`,
    );
  for (const root of config.gitFileRoots)
    if (!isAbsolute(root)) faults.push(`GIT_FILE_ROOTS has '${root}', which is no absolute path`);
  if (readHost(`shop.${config.storefrontDomain}`) === undefined)
    faults.push('STOREFRONT_DOMAIN must be a domain, such as myshopify.com');
  for (const server of config.dnsServers)
    if (!isServer(server)) faults.push(`DNS_SERVERS has '${server}', which is no address`);
  if (role !== 'all' && !databaseUrl)
    faults.push(`ROLE=${role} needs DATABASE_URL: only 'all' runs the embedded Postgres`);
  if (role !== 'all' && !secretKey) faults.push(`ROLE=${role} needs SECRET_KEY, the same for every process`);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, host = '', port] = /^(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = /^\[(.+)\]$/.exec(host)?.[1];
  const isAddress = address === undefined ? isIP(host) === 4 : isIP(address) === 6;
  return isAddress && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
}

function readStripe(
  text: (name: string) => string | undefined,
  apiUrl: string | undefined,
  faults: string[],
): Config['stripe'] {
  const secretKey = text('STRIPE_SECRET_KEY');
  const webhookSecret = text('STRIPE_WEBHOOK_SECRET');
  if (secretKey === undefined) {
    if (webhookSecret !== undefined || apiUrl !== undefined)
      faults.push('STRIPE_WEBHOOK_SECRET and STRIPE_API_URL need STRIPE_SECRET_KEY');
    return undefined;
  }
  if (webhookSecret === undefined) faults.push('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET');
  return { secretKey, webhookSecret: webhookSecret ?? '', apiUrl: apiUrl ?? 'https://api.stripe.com' };
}

/** Only this machine can open the platform, so nobody takes the test checkout for a real one. */
function servesLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  const isLoopbackAddress = host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
  return isLoopbackAddress || host === 'localhost' || host.endsWith('.localhost');
}

/** A mirror has both the answers and the archives of wordpress.org. */
function readSource(mirror: string | undefined): { api: string; downloads: string } {
  const base = mirror?.replace(/\/+$/, '');
  return { api: base ?? 'https://api.wordpress.org', downloads: base ?? 'https://wordpress.org' };
}

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
