import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { siteHostParts } from '#core/cluster.ts';
import { readHost } from '#core/host-name.ts';
import { readUpdateKey } from '#integrations/dns/tsig.ts';
import {
  checked,
  checkedOr,
  folders,
  isUrl,
  keys,
  list,
  networks,
  number,
  server,
  servers,
  startsWith,
  text,
  textOr,
  url,
  word,
  wordOr,
} from './kinds.ts';

/** What sites can run on (platform/drivers.ts). */
export const DRIVERS = ['php-wasm', 'fpm'] as const;
export const ROLES = ['api', 'worker', 'edge', 'host'] as const;
/** The longest value that the sign-in to the metrics dashboard reads; what is configured longer could never be sent rightly. */
export const MAX_OAUTH_LENGTH = 2000;

const HTTP = ['http:', 'https:'];
const KEY_LENGTH = 32;

const isAddress = (value: string) => URL.canParse(`tcp://${value}`) && new URL(`tcp://${value}`).port !== '';

/** Every variable that the platform reads, and nothing else does. A test holds that the README knows them. */
export const Variables = Type.Object({
  HOST: textOr('127.0.0.1', 'The address that it listens on'),
  PORT: number(8080, [0, 65_535], 'The port that it listens on; 0 for any that is free'),
  HTTPS_PORT: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 65_535,
      description: 'The port that it speaks TLS on; without it, it speaks none',
    }),
  ),
  ACME_DIRECTORY: Type.Optional(
    checked(
      "Where certificates come from, by ACME; Let's Encrypt where HTTPS_PORT is set, and `off` for own ones alone",
      'be a URL that starts with http:// or https://, or off',
      (value) => value === 'off' || isUrl(value, HTTP),
    ),
  ),
  ACME_EMAIL: text('Whom the authority tells of trouble with them'),
  DNS_UPDATE_SERVER: server(
    'The name server of SITE_DOMAIN, as address or address:port, where it takes updates (RFC 2136): one wildcard certificate is for all sites then',
  ),
  DNS_UPDATE_KEY: Type.Optional(
    checked(
      'The key that it takes them with, as for nsupdate -y: algorithm:name:secret',
      'be algorithm:name:secret, such as hmac-sha256:siteyard:c2VjcmV0',
      (value) => readUpdateKey(value) !== undefined,
    ),
  ),
  HSTS_SECONDS: number(
    0,
    [0, 63_072_000],
    'For how long browsers shall open sites with TLS alone once they did; 0: not said',
  ),
  ROLE: Type.Refine(
    Type.String({
      description: 'What this process does: all, or some of the roles with commas between them',
      default: 'all',
      must: `be one of ${ROLES.join(', ')}`,
    }),
    (value) => value === 'all' || rolesIn(value).every((role) => ROLES.some((each) => each === role)),
  ),
  EDGE_PROCESSES: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 64,
      description:
        'How many processes answer on PORT and HTTPS_PORT together; for `all` one for every two cores and 4 GB of memory, 8 at most, otherwise 1',
    }),
  ),
  DATA_DIR: textOr('./data', 'Where it keeps everything'),
  BACKUP_STORE: Type.Optional(
    checked(
      'Where backups are kept: a folder, best on a disk of its own, or s3://bucket/prefix; `backups` in DATA_DIR otherwise',
      'be the whole path of a folder, or s3:// with the name of a bucket and a prefix, if any, of plain names',
      (value) => /^(?:\/.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,62}(?:\/[A-Za-z0-9_][\w.-]*)*\/?)$/.test(value),
    ),
  ),
  BACKUP_PER_HOST: wordOr(
    'off',
    ['on', 'off'],
    'Whether each host of sites has a place of its own in BACKUP_STORE, by its name',
  ),
  BACKUP_CACHE_MB: number(2048, [0, 16_777_216], 'How much of a bucket with backups is kept on this disk as well'),
  BACKUP_QUEUE_MB: number(
    16_384,
    [64, 16_777_216],
    'How much may wait on this disk while a bucket with backups can not be reached',
  ),
  BACKUP_ENCRYPTION: wordOr('off', ['on', 'off'], "Whether new backups are sealed with the platform's key"),
  AWS_ENDPOINT_URL_S3: url('The server of the bucket in BACKUP_STORE; AWS_ENDPOINT_URL otherwise, or Amazon', ...HTTP),
  AWS_ENDPOINT_URL: url('The same, for every service of its kind', ...HTTP),
  AWS_REGION: textOr('us-east-1', 'Its region'),
  AWS_ACCESS_KEY_ID: text('Who we are there'),
  AWS_SECRET_ACCESS_KEY: text('How we prove it'),
  AWS_SESSION_TOKEN: text('What goes with keys that last for a while only'),
  CACHE_DIR: text('Where WordPress is kept; platforms may share it'),
  BASE_URL: url("The platform's own address; every other host is a site", ...HTTP),
  SITE_DOMAIN: textOr('localhost', 'New sites live under this domain'),
  STAGE_DOMAIN: text('Staging sites live under this domain; SITE_DOMAIN otherwise'),
  PUBLIC_IP: Type.Refine(
    Type.String({
      description: 'The address that the DNS of sites should name',
      default: '127.0.0.1',
      must: 'be an IPv4 or IPv6 address',
    }),
    (value) => isIP(value) !== 0,
  ),
  LOG_LEVEL: wordOr('info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'How much is logged'),

  SITE_HOST: checkedOr(
    'local',
    'The host of sites that new sites go to, and that a process with the role `host` is',
    'be a word of small letters, digits and dashes',
    // With the id of a site behind it in the pod of that site, where our own driver puts it.
    (value) => /^[a-z0-9-]{1,63}$/.test(value) || siteHostParts(value) !== undefined,
  ),
  SITE_HOST_ADDRESS: Type.Optional(
    checked(
      'Where other processes reach the sites of this one, as address:port; a socket in DATA_DIR otherwise',
      'be an address with a port',
      isAddress,
    ),
  ),

  CLUSTERS: list(
    'Kubernetes clusters that sites can be on, as name=in-cluster or name=/path/of/a/kubeconfig; SITE_HOST and regions name one',
    'name=in-cluster or name=/path',
    (entry) => /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?=(?:in-cluster|\/.+)$/.test(entry),
  ),
  POD_DOOR_ADDRESS: Type.Optional(
    checked(
      'Where a worker listens for the pods of sites, as address:port; needed with CLUSTERS',
      'be an address with a port',
      isAddress,
    ),
  ),
  KUBE_PLATFORM_DOOR: Type.Optional(
    checked('Where those pods reach it; needed with CLUSTERS', 'be an address with a port', isAddress),
  ),
  PLATFORM_DOOR: Type.Optional(
    checked(
      'In the pod of a site, where our own driver sets it: whom it asks in place of a database',
      'be an address with a port',
      isAddress,
    ),
  ),
  POD_KEY: text('In the pod of a site: the key of its certificate'),
  POD_CERTIFICATE: text('In the pod of a site: what shows whose pod it is'),
  POD_AUTHORITY: text('In the pod of a site: what it knows the platform by'),
  KUBE_NAMESPACE: textOr('siteyard-sites', 'The namespace of the pods of sites'),
  KUBE_SITE_IMAGE: text('The image of this program that they run'),
  KUBE_PULL_POLICY: wordOr('IfNotPresent', ['Always', 'IfNotPresent', 'Never'], 'When it is pulled'),
  KUBE_SITE_SECRET: textOr('siteyard-site', 'The Secret in that namespace that all of them have in their environment'),
  KUBE_STORAGE_CLASS: text("The class of their volumes; the cluster's own choice otherwise"),
  KUBE_SECCOMP: checkedOr(
    'RuntimeDefault',
    'The filter of system calls around them; RUNTIME=fpm needs one that lets them make namespaces',
    'be RuntimeDefault, or localhost/ and the name of a profile on the nodes',
    (value) => value === 'RuntimeDefault' || /^localhost\/[\w./-]+$/.test(value),
  ),
  KUBE_PRIORITY_CLASSES: wordOr(
    'off',
    ['on', 'off'],
    'Whether they name the PriorityClass of their plan, as siteyard-free',
  ),
  KUBE_CACHE_DIR: textOr(
    '/data/cache',
    'Where WordPress is in them; the folder of an image that has it prepared is quicker',
  ),
  KUBE_IDLE_MINUTES: number(10, [0.01, 1440], 'One that nobody asked anything of for so long is scaled to 0'),
  KUBE_WAKE_SECONDS: number(60, [1, 600], 'So long whoever asks waits for one to start'),

  DATABASE_URL: Type.Optional(
    checked('An external Postgres; the embedded one otherwise', 'start with postgres://', (value) =>
      /^postgres(ql)?:\/\//.test(value),
    ),
  ),
  DATABASE_POOL_SIZE: number(10, [4, 500], 'Connections that a process may hold'),
  SECRET_KEY: text("The platform's key: seals what is secret, signs links", { minLength: KEY_LENGTH }),
  SECRET_KEY_PREVIOUS: keys('Keys of before, while the key is changed', KEY_LENGTH),
  ADMIN_EMAIL: Type.Optional(
    checked('The operator of the first start', 'be an email address', (value) => value.includes('@')),
  ),
  ADMIN_PASSWORD: text('Their password; made and shown once otherwise', { minLength: 8 }),

  IMPORT_MAX_MB: number(2048, [1, 1_000_000], 'The largest archive that a site can be imported from'),

  SSH_PORT: Type.Optional(
    Type.Number({ description: 'The port for ssh and sftp to sites; none otherwise', minimum: 1, maximum: 65_535 }),
  ),
  TRUST_PROXY: networks('Addresses whose X-Forwarded-* headers count'),
  RATE_LIMIT_FACTOR: number(1, [0, 1_000_000], 'Scales the rate limits; 0 turns them off'),
  SMTP_URL: url('The server that mail leaves by; files otherwise', 'smtp:', 'smtps:'),
  MAIL_FROM: textOr('Siteyard <no-reply@localhost>', 'The sender of mail'),
  OUTBOUND_ALLOW: networks('Networks that the platform and its sites may call besides public addresses'),
  DNS_SERVERS: servers("Whom to ask for names, as address or address:port; the machine's own otherwise"),
  GIT_FILE_ROOTS: folders('Folders whose repositories file: URLs may name'),
  ANALYTICS_URL: url('The Plausible behind analytics-proxy', ...HTTP),
  ANALYTICS_TOKEN: text('What it knows us by'),
  STOREFRONT_DOMAIN: Type.Refine(
    Type.String({
      description: 'Where storefront-proxy finds shops',
      default: 'myshopify.com',
      must: 'be a domain, such as myshopify.com',
    }),
    (value) => readHost(`shop.${value.toLowerCase()}`) !== undefined,
  ),

  ASSISTANT_URL: url('A server that speaks OpenAI’s protocol for chats, for the support assistant', ...HTTP),
  ASSISTANT_KEY: text('What it knows us by'),
  ASSISTANT_MODEL: text('The model that is asked for there'),
  ASSISTANT_TIMEOUT_SECONDS: number(90, [1, 600], 'How long an answer of the assistant may take'),
  ASSISTANT_DAILY_TOKENS: number(
    500_000,
    [0, 1_000_000_000],
    'How many tokens of the model a team, or a person, may use in a day',
  ),

  BILLING: Type.Optional(
    word(['test'], 'The built-in checkout that takes no money, where not only this machine can open us'),
  ),
  STRIPE_SECRET_KEY: text('Payments through Stripe'),
  STRIPE_WEBHOOK_SECRET: text('What its events are signed with'),
  STRIPE_API_URL: url('A proxy before it', ...HTTP),

  METRICS_TOKEN: text('Who may read /metrics; made otherwise'),
  METRICS_PORT: Type.Optional(
    Type.Number({ description: 'A port of its own for /metrics', minimum: 1, maximum: 65_535 }),
  ),
  METRICS_URL: url("The operator's Grafana", ...HTTP),
  METRICS_REDIRECT_URIS: list(
    "Where a sign-in to it may lead back to; Grafana's own address for that otherwise",
    'http or https URL without a fragment',
    (uri) => /^https?:\/\/[^#]+$/.test(uri) && URL.canParse(uri) && uri.length <= MAX_OAUTH_LENGTH,
  ),
  METRICS_CLIENT_ID: textOr('grafana', 'What it calls itself', { maxLength: MAX_OAUTH_LENGTH }),
  METRICS_CLIENT_SECRET: text('How it proves itself; made otherwise', { minLength: 16, maxLength: MAX_OAUTH_LENGTH }),

  // Which names are right depends on the program: that of the tests has a driver of its own (readConfig).
  RUNTIME: textOr('php-wasm', 'What sites run on: PHP in WebAssembly, or the PHP-FPM of this machine'),
  SITE_DATABASE: Type.Optional(
    word(
      ['sqlite', 'mariadb'],
      'What new sites keep their rows in; mariadb where MARIADB_URL is set, sqlite otherwise',
    ),
  ),
  MARIADB_URL: Type.Optional(
    checked(
      "The server of sites' databases, with an account that may make others; one of our own otherwise, where this machine has MariaDB",
      'start with mariadb://',
      (value) => /^(?:mariadb|mysql):\/\//.test(value),
    ),
  ),
  WORDPRESS_SOURCE: Type.Optional(
    checked(
      'A mirror of wordpress.org, or npm for only the version that npm has',
      startsWith(HTTP),
      (value) => value === 'npm' || isUrl(value, HTTP),
    ),
  ),
  SHIPPED_TEMPLATES: wordOr('on', ['on', 'off'], 'The templates that come with the platform, for everybody'),
  STANDBY_WORKERS: number(1, [0, 64], 'Warm PHP processes that wait for the next site to wake'),
  PHP_MEMORY_MB: number(
    Math.floor(totalmem() / 2 / 1024 / 1024),
    [256, 16_777_216],
    'What all PHP processes together should use',
  ),
  PHP_TIMEOUT_SECONDS: number(60, [1, 3600], 'A request that takes PHP longer is ended'),
  PHP_IDLE_MINUTES: number(10, [0.01, 1440], "A site's process ends after so long without a request"),
  PHP_PROCESSES_PER_SITE: number(4, [1, 64], 'Processes that a busy site may have, where there is memory'),
  PHP_REQUESTS_PER_PROCESS: number(10_000, [1, 1e9], 'After so many requests a process makes way for a fresh one'),
  PHP_COMPILER: wordOr(
    'optimizing',
    ['optimizing', 'baseline'],
    'For the speed of pages, or for a quick start in little memory',
  ),
  SANDBOX: wordOr(
    'auto',
    ['auto', 'uids', 'root', 'user', 'none'],
    'What keeps sites apart on this machine; `none` also means no real shell',
  ),
  BROWSER: text(
    'The Chromium that takes pictures of sites, or `off`: they are drawn instead; where it is left out, the one that the machine has',
  ),
  BACKUP_PROCESSES: number(
    Math.max(1, Math.floor(availableParallelism() / 2)),
    [1, 64],
    'How many sites are backed up side by side',
  ),
  SITE_LOG_DAYS: number(7, [1, 400], 'How long the log of a site is kept, where it does not grow too large'),
  RESTORE_LEAVES_FREE_MB: number(
    256,
    [0, 1_048_576],
    'So much room on the disk no restore takes; one that would is refused',
  ),
});

export type Variables = Static<typeof Variables>;

export function rolesIn(value: string): string[] {
  return value.split(',').map((role) => role.trim());
}
