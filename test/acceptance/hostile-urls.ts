import { networkInterfaces } from 'node:os';
import { isPublic } from '#core/outbound.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { type Answer, type Place, request, type World } from './world.ts';

/**
 * Addresses that nobody may be made to call, in every way to write them, and every field of the service that takes an
 * address or a host. Whoever adds such a field adds it to FIELDS.
 */
export interface Setting {
  app: TestApp;
  world: World;
  place: Place;
  token: string;
  /** A site of the place; only a row, since external paths need no more. */
  fqdn: string;
  timesAsked(name: string): number;
  /** A host that may be called, and that sends whoever asks it on to where they ask for. */
  redirector: string;
}

export interface HostileField {
  name: string;
  /** Gives the field the value, and has the service use whatever it took. Refusals are answers and not errors. */
  use(setting: Setting, url: string): Promise<Answer | undefined>;
}

const ask = ({ app, token }: Setting, method: string, path: string, body?: unknown, headers = {}) =>
  request(app, method, path, { token, headers, ...(body !== undefined && { body }) });

/** What stands between the slashes, as somebody would enter it where a host is asked for. */
const hostOf = (url: string) => url.replace(/^[a-z0-9+.-]*:?[\\/]*/i, '').replace(/[\\/?#].*$/s, '');

/** For fields that take nothing else. */
const secure = (url: string) => url.replace(/^http:/i, 'https:');

const verifyRepository = (setting: Setting, gitUrl: string) =>
  ask(setting, 'GET', `/verify_git_sync_directories?${new URLSearchParams({ git_url: gitUrl })}`);

let number = 0;
const XML = { 'content-type': 'text/xml' };

/** What all fields lead to in the end. */
export const WAYS_OUT: HostileField = {
  name: 'every other way out of the platform',
  async use({ app }, url) {
    const { outbound } = app.services;
    const { hostname, port } = URL.parse(url) ?? { hostname: hostOf(url), port: '' };
    const ways = [
      () => outbound.fetch(url, { timeoutMs: 5000, maxBytes: 100, redirects: 3 }),
      () => outbound.connect(hostname, Number(port), 5000).then((socket) => socket.destroy()),
      () => outbound.resolve(hostOf(url).replace(/:\d+$/, '')),
    ];
    for (const way of ways) await (async () => way())().catch(() => undefined);
    return undefined;
  },
};

export const FIELDS: HostileField[] = [
  {
    name: 'external path: external_name',
    async use(setting, url) {
      const path = `/site/${setting.fqdn}/external_path`;
      const way = `/away-${number++}`;
      const made = await ask(setting, 'POST', path, { path: way, external_name: url });
      if (made.status !== 200) return made;
      // What is taken is a name, since addresses are refused; the edge hears of it a moment later and asks for it then.
      const { hostname } = new URL(made.json.external_name);
      await eventually(async () => {
        const before = setting.timesAsked(hostname);
        await visit(setting.app, setting.fqdn, `${way}/`);
        return setting.timesAsked(hostname) > before;
      });
      return ask(setting, 'DELETE', `${path}/${made.json.id}`);
    },
  },
  {
    name: 'application password: fqdn, then both proxies',
    async use(setting, url) {
      const fqdn = hostOf(url);
      const body = { fqdn, username: 'ada', password: 'a password', team_id: setting.place.teamId };
      const made = await ask(setting, 'POST', '/application_password', body);
      if (made.status !== 200) return made;
      await ask(setting, 'POST', '/cms-proxy', { fqdn });
      await ask(setting, 'POST', `/xmlrpc/${encodeURIComponent(fqdn)}`, '<a/>', XML);
      return ask(setting, 'DELETE', `/application_password/${encodeURIComponent(fqdn)}`);
    },
  },
  {
    // As if what is stored had been taken before it was refused.
    name: 'cms-proxy and xmlrpc: a host that is stored already',
    async use(setting, url) {
      const fqdn = hostOf(url);
      const { db } = setting.app.services;
      await setting.world.applicationPassword(setting.place, fqdn).catch(() => undefined);
      await ask(setting, 'POST', `/xmlrpc/${encodeURIComponent(fqdn)}`, '<a/>', XML);
      const answer = await ask(setting, 'POST', '/cms-proxy', { fqdn });
      await db.deleteFrom('application_passwords').where('fqdn', '=', fqdn.replaceAll('\0', '')).execute();
      return answer;
    },
  },
  {
    name: 'cms-proxy: path',
    use: (setting, url) => ask(setting, 'POST', '/cms-proxy', { fqdn: setting.redirector, path: url }),
  },
  {
    name: 'cms-proxy: where a redirect leads',
    use: (setting, url) =>
      ask(setting, 'POST', '/cms-proxy', {
        fqdn: setting.redirector,
        path: '/wp-json/redirect',
        query_params_json: JSON.stringify({ to: url, status: statusFor(url) }),
      }),
  },
  {
    name: 'storefront-proxy: shop_name',
    use: (setting, url) => ask(setting, 'POST', '/storefront-proxy', { shop_name: hostOf(url) }),
  },
  {
    name: 'storefront-proxy: where a redirect leads',
    use: (setting, url) =>
      ask(setting, 'POST', '/storefront-proxy', {
        shop_name: 'shop',
        path: '/admin/api/redirect',
        query_params_json: JSON.stringify({ to: url, status: statusFor(url) }),
      }),
  },
  {
    name: 'analytics-proxy: path',
    use: (setting, url) =>
      ask(setting, 'POST', '/analytics-proxy', { path: url, query_params_json: `{"site_id":"${setting.fqdn}"}` }),
  },
  {
    name: 'analytics-proxy: where a redirect leads',
    use: (setting, url) =>
      ask(setting, 'POST', '/analytics-proxy', {
        path: '/api/v1/stats/redirect',
        query_params_json: JSON.stringify({ site_id: setting.fqdn, to: url, status: statusFor(url) }),
      }),
  },
  {
    name: 'webhook: url, new, changed and stored already, with a test call',
    async use(setting, url) {
      const { place, world, app } = setting;
      const path = `/team/${place.teamId}/webhook`;
      const made = await ask(setting, 'POST', path, { url, event_types: ['git.synced'] });
      if (made.status === 200) await ask(setting, 'DELETE', `${path}/${made.json.id}`);
      const id = await world.webhook(place.teamId, place.owner);
      const changed = await ask(setting, 'PATCH', `${path}/${id}`, { url });
      const { db } = app.services;
      // As if it had been taken before it was refused.
      await db
        .updateTable('webhooks')
        .set({ url: url.replaceAll('\0', '') })
        .where('id', '=', id)
        .execute();
      await ask(setting, 'POST', `${path}/${id}/test`);
      await db.deleteFrom('webhooks').where('id', '=', id).execute();
      return changed;
    },
  },
  {
    name: 'Git account: base_url',
    use: (setting, url) =>
      ask(setting, 'POST', '/git_account', { provider: 'gitea', base_url: secure(url), token: 'a-token' }),
  },
  {
    name: 'verify_git_sync_directories: git_url',
    use: (setting, url) => verifyRepository(setting, secure(url).replace(/\/$/, '/site.git')),
  },
  {
    name: 'verify_git_sync_directories: git_url, by ssh',
    async use(setting, url) {
      await verifyRepository(setting, `git@${hostOf(url).replace(/:\d+$/, '')}:site.git`);
      return verifyRepository(setting, `ssh://git@${hostOf(url)}/site.git`);
    },
  },
  WAYS_OUT,
];

const FAST_SHARE = 8;

/** All addresses on the ways out, which cost little, and a share of them through each field: of each field another one. */
export function isInFastTier(field: HostileField, at: number): boolean {
  return field === WAYS_OUT || (at + FIELDS.indexOf(field)) % FAST_SHARE === 0;
}

const STATUSES = [301, 302, 303, 307, 308];
const statusFor = (url: string) => STATUSES[url.length % STATUSES.length];

const INSIDE_V4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.5.4',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  ...ownAddresses(4),
];

function ownAddresses(family: 4 | 6): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return all
    .filter((entry) => entry.family === `IPv${family}` && !entry.internal && !isPublic(entry.address))
    .map(({ address }) => address);
}

/** Every way in which some reader of addresses understands this one. */
function spellV4(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const parts = [a, b, c, d];
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const digits = (zero: number) => address.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    octal(whole),
    parts.map(hex).join('.'),
    parts.map(octal).join('.'),
    `${hex(a)}.${octal(b)}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `${octal(a)}.${hex((b << 16) | (c << 8) | d)}`,
    parts.map((part) => `000${part.toString(8)}`).join('.'),
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    digits(0xff10),
    digits(0x1d7ce),
  ];
}

/** Every way to put it into an IPv6 address. */
function embedV4(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const pair = (x: number, y: number) => (((bytes[x] as number) << 8) | (bytes[y] as number)).toString(16);
  const hex = `${pair(0, 1)}:${pair(2, 3)}`;
  const inverted = bytes.map((byte) => byte ^ 0xff);
  const teredo = `${((inverted[0] as number) << 8) | (inverted[1] as number)}`;
  return [
    `[::ffff:${address}]`,
    `[::ffff:${hex}]`,
    `[0:0:0:0:0:ffff:${hex}]`,
    `[::${address}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${hex}]`,
    `[2002:${hex}::]`,
    `[2002:${hex}::1]`,
    `[2001:0:4136:e378:8000:63bf:${Number(teredo).toString(16)}:fffe]`,
    `[fe80::5efe:${address}]`,
  ];
}

const INSIDE_V6 = [
  ...['::1', '::', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', 'fd00:ec2::254', 'fc00::1'],
  ...[
    'fe80::1',
    'fe80::1%25lo',
    'fe80::1%lo',
    '::1%25lo',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
  ],
  ...ownAddresses(6),
];

export const PUBLIC_STAND_IN = '127.9.9.9';

/** Names under hostile.example, by what a server of names says of them; the number is how often it was asked before. */
export function hostileAddresses(name: string, type: 'A' | 'AAAA', before: number): readonly string[] {
  const [label = '', kind] = name.split('.');
  if (!name.endsWith('.hostile.example')) return [];
  if (kind === 'redirect') return type === 'A' ? [PUBLIC_STAND_IN] : [];
  if (kind === 'four') return type === 'A' ? [label.replaceAll('-', '.')] : [];
  if (kind === 'six') return type === 'AAAA' ? [label.slice(1).replaceAll('-', ':')] : [];
  if (kind === 'mixed') return type === 'A' ? [label.replaceAll('-', '.'), PUBLIC_STAND_IN] : ['::1'];
  // Public when it is checked, and inside when it is used; or the other way round.
  const isInside = kind === 'flips' ? before % 2 === 1 : before > 0;
  if (kind !== 'flips' && kind !== 'rebinds') return [];
  if (type === 'AAAA') return isInside ? ['::1'] : [];
  return [isInside ? '127.0.0.1' : PUBLIC_STAND_IN];
}

const NAMES = [
  ...INSIDE_V4.map((address) => `${address.replaceAll('.', '-')}.four.hostile.example`),
  ...[
    '--1',
    '--',
    'fd00-ec2--254',
    'fe80--1',
    '--ffff-7f00-1',
    '64-ff9b--7f00-1',
    '2002-7f00-1--1',
    'fec0--1',
    'ff02--1',
  ].map((address) => `x${address}.six.hostile.example`),
  ...['127-0-0-1', '10-0-0-1', '169-254-169-254'].map((address) => `${address}.mixed.hostile.example`),
  ...Array.from({ length: 10 }, (_, at) => `n${at}.flips.hostile.example`),
  ...Array.from({ length: 10 }, (_, at) => `n${at}.rebinds.hostile.example`),
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.localhost.',
    'ｌocalhost',
    'loc%61lhost',
    'localhost。',
  ],
  ...['ip6-localhost', 'metadata.google.internal', 'localhost.localdomain', '127.0.0.1.nip.io'],
];

/** Whole addresses that try to be read as something else. */
const tricks = (port: number) => [
  `http://example.com@127.0.0.1:${port}/`,
  `http://example.com:80@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#@example.com/`,
  `http://127.0.0.1:${port}?@example.com/`,
  `http://example.com\\@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}\\@example.com/`,
  `http:127.0.0.1:${port}/`,
  `http:/127.0.0.1:${port}/`,
  `http:////127.0.0.1:${port}/`,
  `//127.0.0.1:${port}/`,
  `\\\\127.0.0.1:${port}\\`,
  `http://127.0.0\t.1:${port}/`,
  `http://127.0.0.1\n:${port}/`,
  `  http://127.0.0.1:${port}/  `,
  `HTTP://127.0.0.1:${port}/`,
  `http://[::1]:${port}@example.com/`,
  `http://127.1:${port}/`,
  `http://127.0.1:${port}/`,
  `http://0:${port}/`,
  `http://0x7f.1:${port}/`,
  `http://①②⑦.⓪.⓪.①:${port}/`,
  `http://127.0.0.1%00.example.com:${port}/`,
  `http://localhost%00:${port}/`,
  `http://127.0.0.1%2f@example.com:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_x`,
  `dict://127.0.0.1:${port}/`,
  `ws://127.0.0.1:${port}/`,
  'file:///etc/passwd',
  'unix:/var/run/docker.sock',
  'data:text/html,x',
  `jar:http://127.0.0.1:${port}/!/`,
];

export function hostileUrls(port: number): string[] {
  const hosts = [
    ...INSIDE_V4.flatMap(spellV4),
    ...['127.0.0.1', '10.0.0.1', '169.254.169.254'].flatMap(embedV4),
    ...INSIDE_V6.map((address) => `[${address}]`),
    ...NAMES,
  ];
  const urls = hosts.map((host, at) => `${at % 2 === 0 ? 'http' : 'https'}://${host}:${port}/`);
  return [...new Set([...urls, ...tricks(port)])];
}
