import assert from 'node:assert/strict';
import { Resolver } from 'node:dns';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Variables } from './config/variables.ts';
import { readConfig } from './config.ts';

test('an empty environment is a working configuration', () => {
  const config = readConfig({});
  assert.equal(config.port, 8080);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.baseUrl, 'http://localhost:8080');
  assert.deepEqual([...config.roles], ['api', 'worker', 'edge', 'host']);
});

test('every fault is named at once', () => {
  const env = {
    PORT: 'x',
    BASE_URL: 'ftp://x',
    ADMIN_PASSWORD: 'short',
    TRUST_PROXY: '10.0.0.0/8,nonsense,fd00::/129',
    SMTP_URL: 'http://x',
    OUTBOUND_ALLOW: '192.0.2.1,10.0.0.0/33,10.0.0.0/,10.0.0.0/8/8,10/8,::1/128',
    SECRET_KEY: 'k',
    GIT_FILE_ROOTS: '/srv/git,relative',
  };
  assert.throws(
    () => readConfig(env),
    ({ message }: Error) => {
      for (const word of ['PORT', 'BASE_URL', 'ADMIN_PASSWORD', 'SMTP_URL', 'SECRET_KEY', 'relative'])
        assert.ok(message.includes(word), word);
      const networks = [...message.matchAll(/has '([^']*)', which is no address or CIDR/g)].map((match) => match[1]);
      assert.deepEqual(networks, ['nonsense', 'fd00::/129', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10/8']);
      return true;
    },
  );
});

test('backups lie beside all else, in a folder of their own, or in a bucket that we have a key for', () => {
  const storeOf = (env: Record<string, string>) => readConfig({ DATA_DIR: '/data', ...env }).backupStore;
  assert.deepEqual(storeOf({}), { kind: 'disk', folder: '/data/backups' });
  assert.deepEqual(storeOf({ BACKUP_STORE: '/mnt/backups' }), { kind: 'disk', folder: '/mnt/backups' });
  const key = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const account = { endpoint: 'https://s3.us-east-1.amazonaws.com', region: 'us-east-1', bucket: 'kept', prefix: '' };
  const ours = { accessKeyId: 'id', secretAccessKey: 'secret' };
  assert.deepEqual(storeOf({ BACKUP_STORE: 's3://kept', ...key }), { kind: 's3', account: { ...account, ...ours } });
  const here = { AWS_ENDPOINT_URL: 'http://any', AWS_ENDPOINT_URL_S3: 'http://s3.test/', AWS_REGION: 'here' };
  const there = { ...ours, endpoint: 'http://s3.test', region: 'here', bucket: 'kept', prefix: 'by/host-1/' };
  assert.deepEqual(storeOf({ BACKUP_STORE: 's3://kept/by/host-1', ...key, ...here }), { kind: 's3', account: there });
  assert.throws(() => storeOf({ BACKUP_STORE: 's3://kept' }), /needs AWS_ACCESS_KEY_ID/);
  for (const wrong of ['relative', 's3://', 'ftp://x', 's3://kept/../x', 's3://kept//x'])
    assert.throws(() => storeOf({ BACKUP_STORE: wrong }), /BACKUP_STORE/);
});

test('clusters have a name and a way, and processes that speak to them have no sites inside', () => {
  const env = { ROLE: 'api', DATABASE_URL: 'postgres://x', SECRET_KEY: 'x'.repeat(32) };
  const kube = {
    ...env,
    CLUSTERS: 'here=in-cluster,there=/etc/kube',
    KUBE_SITE_IMAGE: 'x',
    BACKUP_PER_HOST: 'on',
    KUBE_PLATFORM_DOOR: 'workers:7444',
  };
  assert.deepEqual(
    [...readConfig(kube).clusters],
    [
      ['here', 'in-cluster'],
      ['there', { kubeconfig: '/etc/kube' }],
    ],
  );
  for (const wrong of ['here', 'Here=in-cluster', 'a.b=in-cluster', 'here=relative'])
    assert.throws(() => readConfig({ ...kube, CLUSTERS: wrong }), /CLUSTERS/);
  assert.throws(() => readConfig({ ...kube, ROLE: 'api,host' }), /no sites inside/);
  assert.throws(() => readConfig({ ...env, CLUSTERS: 'here=in-cluster' }), /KUBE_SITE_IMAGE.*BACKUP_PER_HOST=on/s);
  const host = 'here.7b0c4b1e-6f5a-4d61-9f3e-0a1b2c3d4e5f';
  assert.throws(() => readConfig({ SITE_HOST: 'here.site' }), /SITE_HOST/);
  const own = { POD_KEY: 'k', POD_CERTIFICATE: 'c', POD_AUTHORITY: 'a', PLATFORM_DOOR: 'workers:7444' };
  const pod = { ROLE: 'host', SITE_HOST: host, SITE_HOST_ADDRESS: '10.0.0.1:7443', BACKUP_PER_HOST: 'on', ...own };
  const bucket = { BACKUP_STORE: 's3://kept', DATABASE_URL: ' ', SECRET_KEY: '' };
  assert.equal(readConfig({ ...pod, ...bucket }).newSites.host, host);
  // What a pod must not have it does not start with.
  for (const name of ['DATABASE_URL', 'SECRET_KEY'] as const)
    assert.throws(() => readConfig({ ...pod, [name]: env[name] }), /neither DATABASE_URL nor SECRET_KEY/);
  assert.throws(() => readConfig({ ...pod, POD_KEY: '' }), /POD_KEY/);
  assert.throws(() => readConfig({ ...env, ROLE: 'host', SITE_HOST: host }), /need each other/);
});

test('servers of names are addresses, with or without a port', () => {
  const right = ['192.0.2.1', '192.0.2.1:53', '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:5353'];
  const { dnsServers } = readConfig({ DNS_SERVERS: right.join(' ') });
  assert.deepEqual(dnsServers, right);
  // Node itself takes each of them.
  new Resolver().setServers(dnsServers);
  for (const wrong of [
    '999.1.1.1',
    '1.2.3',
    '192.0.2.1:0',
    '192.0.2.1:99999',
    '2001:db8:::1',
    '[192.0.2.1]:53',
    'dns.example',
  ])
    assert.throws(() => readConfig({ DNS_SERVERS: wrong }), /DNS_SERVERS has/, wrong);
});

test('a role of its own needs the shared database and the shared key', () => {
  assert.throws(() => readConfig({ ROLE: 'api' }), /DATABASE_URL[\s\S]*SECRET_KEY/);
  assert.throws(() => readConfig({ ROLE: 'king' }), /one of api, worker, edge, host/);
  const shared = { DATABASE_URL: 'postgres://x/y', SECRET_KEY: 'k'.repeat(32) };
  assert.deepEqual([...readConfig(shared, { args: ['--role=worker'] }).roles], ['worker']);
  assert.deepEqual([...readConfig({ ...shared, ROLE: 'api, worker' }).roles], ['api', 'worker']);
});

test('a driver is one of the product, or one that the program brings along', () => {
  const driverOf = (RUNTIME: string, extraDrivers: string[] = []) =>
    readConfig({ RUNTIME }, { extraDrivers }).newSites.driver;
  assert.equal(driverOf(''), 'php-wasm');
  assert.equal(driverOf('fpm'), 'fpm');
  assert.equal(driverOf('memory', ['memory']), 'memory');
  assert.throws(() => driverOf('memory'), /RUNTIME must be one of php-wasm, fpm$/);
});

test('the address of the metrics dashboard says where a sign-in to it leads back to, unless that is listed', () => {
  const uris = (env: Record<string, string>) => readConfig(env).metricsRedirectUris;
  assert.deepEqual(uris({}), []);
  assert.deepEqual(uris({ METRICS_URL: 'https://g.example/sub/' }), ['https://g.example/sub/login/generic_oauth']);
  const listed = {
    METRICS_URL: 'https://g.example',
    METRICS_REDIRECT_URIS: 'https://a.example/x, http://b.example/y?z=1',
  };
  assert.deepEqual(uris(listed), ['https://a.example/x', 'http://b.example/y?z=1']);
  for (const wrong of ['/relative', 'javascript:alert(1)', 'https://a.example/#fragment', 'https://'])
    assert.throws(() => uris({ METRICS_REDIRECT_URIS: wrong }), /METRICS_REDIRECT_URIS has/);
  // What could never be sent rightly is the operator's to know, and no client's to be blamed for.
  for (const secret of ['short', 'x'.repeat(2001)])
    assert.throws(() => readConfig({ METRICS_CLIENT_SECRET: secret }), /METRICS_CLIENT_SECRET must have/);
  assert.throws(() => readConfig({ METRICS_CLIENT_ID: 'x'.repeat(2001) }), /METRICS_CLIENT_ID must have/);
  assert.throws(
    () => uris({ METRICS_REDIRECT_URIS: `https://a.example/${'x'.repeat(2000)}` }),
    /METRICS_REDIRECT_URIS/,
  );
  for (const wrong of ['https://g.example/?org=1', 'https://g.example/#x'])
    assert.throws(() => uris({ METRICS_URL: wrong }), /METRICS_URL must have no query/);
});

test('the built-in provider is for platforms that only this machine can open, or that say so', () => {
  const billing = (env: Record<string, string>) => readConfig(env).billing;
  for (const BASE_URL of ['http://localhost:1', 'http://127.1.2.3', 'http://[::1]:8080', 'http://a.localhost'])
    assert.equal(billing({ BASE_URL }), 'test', BASE_URL);
  for (const BASE_URL of [
    'https://platform.example',
    'http://127.evil.example',
    'http://10.0.0.1',
    'http://localhost.example',
  ])
    assert.equal(billing({ BASE_URL }), 'none', BASE_URL);
  assert.equal(billing({ BASE_URL: 'https://platform.example', BILLING: 'test' }), 'test');
  const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  assert.equal(billing(keys), 'stripe');
  assert.equal(readConfig(keys).stripe?.apiUrl, 'https://api.stripe.com');
  assert.throws(() => readConfig({ STRIPE_SECRET_KEY: 'sk_test_1' }), /STRIPE_WEBHOOK_SECRET/);
  assert.throws(() => readConfig({ STRIPE_WEBHOOK_SECRET: 'whsec_1' }), /STRIPE_SECRET_KEY/);
  assert.throws(() => readConfig({ ...keys, BILLING: 'test' }), /exclude/);
  assert.throws(() => readConfig({ BILLING: 'none' }), /BILLING must be one of test/);
});

test('sites have another registered domain than the dashboard, so that none can set its cookies', () => {
  const start = (BASE_URL: string, SITE_DOMAIN: string) => () => readConfig({ BASE_URL, SITE_DOMAIN });
  for (const [base, sites, domain] of [
    ['https://app.example.com', 'sites.example.com', 'example.com'],
    ['https://example.com', 'example.com', 'example.com'],
    ['https://app.sites.example.com', 'sites.example.com', 'example.com'],
    ['http://example.com:8080', 'Sites.Example.com', 'example.com'],
    ['https://app.example.co.uk', 'sites.example.co.uk', 'example.co.uk'],
    ['https://app.b\u00fccher.example', 'sites.b\u00fccher.example', 'xn--bcher-kva.example'],
    // Whoever hosts there shares no cookies with the neighbours, but does with what is below.
    ['https://siteyard.github.io', 'sites.siteyard.github.io', 'siteyard.github.io'],
  ] as const)
    assert.throws(start(base, sites), new RegExp(`SITE_DOMAIN must not be within ${domain.replaceAll('.', '\\.')},`));
  for (const [base, sites] of [
    ['https://app.example.com', 'example-sites.com'],
    ['https://app.example.com', 'notexample.com'],
    ['https://one.co.uk', 'two.co.uk'],
    ['https://siteyard.github.io', 'sites.github.io'],
    ['http://localhost:8080', 'localhost'],
    ['http://siteyard.localhost', 'localhost'],
    ['http://siteyard.localhost', 'sites.siteyard.localhost'],
    ['http://192.0.2.1', 'sites.example.com'],
    ['http://[2001:db8::1]', 'sites.example.com'],
    ['http://siteyard', 'sites.example.com'],
  ] as const)
    assert.equal(start(base, sites)().siteDomain, sites);
});

const ROOT = join(import.meta.dirname, '..');

test('the README or the documents beside it know every variable, and the README knows no other', async () => {
  const folders = await Promise.all(
    ['docs', 'deploy'].map((name) =>
      readdir(join(ROOT, name), { recursive: true }).then((files) => files.map((file) => join(name, file))),
    ),
  );
  const files = folders.flat().filter((file) => file.endsWith('.md'));
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const all = [readme, ...(await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8'))))].join('\n');
  const names = Object.keys(Variables.properties);
  assert.ok(names.length > 40);
  assert.deepEqual(
    names.filter((name) => !all.includes(`\`${name}\``)),
    [],
  );
  const mentioned = [...readme.matchAll(/`\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)(?:[=/][^`]*)?`/g)].map(
    (match) => match[1] as string,
  );
  assert.ok(mentioned.length > 40);
  assert.deepEqual(
    mentioned.filter((name) => !names.includes(name)),
    [],
  );
});

test('the README tells the default of each variable that has the same one everywhere', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const ofTheMachine = ['PHP_MEMORY_MB', 'BACKUP_PROCESSES'];
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
  for (const [name, schema] of Object.entries(Variables.properties)) {
    const { default: fallback } = schema as { default?: unknown };
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
    if (!row || ofTheMachine.includes(name) || fallback === undefined || Array.isArray(fallback)) continue;
    assert.ok(row.split('|')[2]?.includes(`\`${fallback}\``), `${name}: ${fallback} is not in ${row}`);
  }
});
