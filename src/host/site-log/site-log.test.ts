import assert from 'node:assert/strict';
import fs, { appendFile, mkdir, mkdtemp, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { createLog } from '#core/log.ts';
import { type ErrorEntry, errorLine, errorLinesOf, type LogEntry, maskAddress, type VisitEntry } from './entries.ts';
import { groupErrors } from './error-groups.ts';
import { LogFiles } from './log-files.ts';
import { LogFolder } from './log-folder.ts';
import type { LogPlace } from './log-reader.ts';
import { SiteLog } from './site-log.ts';

let root: string;
let folder: string;
let files: LogFiles;
let siteLog: SiteLog;
const SITE = { id: 's1', host: 'local', driver: 'none' };
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'site-log-'));
});
after(() => rm(root, { recursive: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'logs-'));
  files = new LogFiles(folder, createLog('silent'));
  siteLog = new SiteLog({ appendLog: ({ id }, kind, lines) => files.append(id, kind, lines) }, createLog('silent'));
});

const error = (message: string, atMs = Date.now()): ErrorEntry => ({
  atMs,
  level: 'warning',
  message,
  file: 'wp-content/plugins/a/a.php',
  line: 7,
  request: 'GET /',
});
const visit = (path: string): VisitEntry => ({
  atMs: Date.now(),
  method: 'GET',
  path,
  status: 200,
  bytes: 1234,
  durationMs: 3.4,
  cache: 'HIT',
  clientAddress: '203.0.113.9',
  userAgent: 'A browser',
  referrer: null,
});
const wordsOf = (entry: LogEntry) => {
  if ('note' in entry) return entry.note;
  return 'message' in entry ? entry.message : entry.path;
};

/** All pages, newest first. */
async function readAll(kind: 'error' | 'access' = 'error', limit = 100): Promise<string[]> {
  const words: string[] = [];
  let before: LogPlace | undefined;
  do {
    const { entries, next } = await files.read('s1', kind, { before, limit });
    words.push(...entries.map(({ entry }) => wordsOf(entry)));
    before = next;
  } while (before);
  return words;
}

async function filesOf(kind: string): Promise<string[]> {
  return (await readdir(join(folder, 's1'))).filter((name) => name.startsWith(kind)).sort();
}
const sizeOf = async (names: string[]) =>
  (await Promise.all(names.map((name) => stat(join(folder, 's1', name))))).reduce((sum, { size }) => sum + size, 0);

test('lines come back newest first, page by page without a gap, also over several chunks and pieces', async () => {
  const expected: string[] = [];
  for (let batch = 0; batch < 24; batch++) {
    for (let index = 0; index < 60; index++) {
      const words = `${batch}-${index} ${'é'.repeat((index * 37) % 1500)}`;
      siteLog.error(SITE, error(words));
      expected.unshift(words);
    }
    await siteLog.flush();
  }
  assert.ok((await filesOf('error')).length > 1);
  assert.deepEqual(await readAll('error', 7), expected);
  assert.deepEqual(await readAll('error', 100), expected);
});

test('nothing that a site writes forges a line or breaks the reading of others', async () => {
  const forged = '{"atMs":1,"level":"fatal","message":"forged","file":null,"line":1,"request":null}';
  const hostile = [`a\n${forged}\nb`, `\r\n\u2028${forged}`, '\u0000\u001b[31m\u0007', '\ud800 half', '"\\"},{'];
  for (const words of hostile) siteLog.error(SITE, error(words));
  siteLog.visit(SITE, { ...visit('/'), userAgent: `x"}\n${forged}`, referrer: '\udfff', method: 'GET"\n' });
  await siteLog.flush();
  assert.deepEqual((await readAll()).reverse(), [
    `a\n${forged}\nb`,
    `\ufffd\n\u2028${forged}`,
    '\ufffd\ufffd[31m\ufffd',
    '\ufffd half',
    '"\\"},{',
  ]);
  const { entries } = await files.read('s1', 'access', { before: undefined, limit: 10 });
  assert.equal(entries.length, 1);
  assert.deepEqual(
    { ...entries[0]?.entry, atMs: 0 },
    {
      ...visit('/'),
      atMs: 0,
      durationMs: 3,
      method: 'GET"\n',
      userAgent: `x"}\n${forged}`,
      referrer: '\ufffd',
    },
  );
});

test('a message of ten megabytes is cut, and says by how much', async () => {
  siteLog.error(SITE, error('x'.repeat(10_000_000)));
  siteLog.error(SITE, error('after it'));
  await siteLog.flush();
  const [last, first] = await readAll();
  assert.equal(last, 'after it');
  assert.equal(first, `${'x'.repeat(8_000)}… (9992000 more characters)`);
});

test('half a line, as a power cut leaves it, is skipped and takes no other along', async () => {
  siteLog.error(SITE, error('one'));
  await siteLog.flush();
  const [name] = await filesOf('error');
  await appendFile(join(folder, 's1', name as string), '{"atMs":17,"level":"wa');
  assert.deepEqual(await readAll(), ['one']);
  siteLog.error(SITE, error('two'));
  await siteLog.flush();
  assert.deepEqual(await readAll(), ['two', 'one']);
  // As it is while a line is being written.
  await appendFile(join(folder, 's1', name as string), '{"atMs":17,"note":"not yet');
  assert.deepEqual(await readAll(), ['two', 'one']);
  const place = await files.endOf('s1', 'error');
  await appendFile(join(folder, 's1', name as string), ' done"}\n');
  assert.equal((await readAll())[0], 'not yet done');
  assert.deepEqual((await files.readOn('s1', 'error', place)).entries, []);
});

test('what is collected in memory is bounded for each site, and one line tells how much was left out', async () => {
  for (let index = 0; index < 10_000; index++) siteLog.visit(SITE, visit(`/${index}`));
  siteLog.visit({ ...SITE, id: 's2' }, visit('/'));
  await siteLog.flush();
  const [note, ...kept] = await readAll('access');
  assert.ok(kept.length > 500 && kept.length < 5_000, String(kept.length));
  assert.equal(note, `${10_000 - kept.length} visits were left out here: too many at once.`);
  assert.equal(kept.at(-1), '/0');
  const other = await files.read('s2', 'access', { before: undefined, limit: 10 });
  assert.equal(other.entries.length, 1);
});

test('a log stays within its bound, loses its oldest lines first and says so; visits push out no errors', async () => {
  siteLog.error(SITE, error('an old error'));
  const long = 'y'.repeat(1_900);
  for (let batch = 0; batch < 90; batch++) {
    for (let index = 0; index < 110; index++) siteLog.visit(SITE, visit(`/${batch}-${index}?${long}`));
    await siteLog.flush();
    assert.ok((await sizeOf(await filesOf('access'))) <= 16.5 * 1024 ** 2);
  }
  const words = await readAll('access');
  assert.ok(words.length > 6_000, String(words.length));
  assert.match(words[0] as string, /^\/89-109/);
  assert.ok(!words.some((each) => each.startsWith('/0-0?')));
  assert.ok(words.includes('The oldest lines of this log made room for new ones: it holds 16 MB.'));
  assert.deepEqual(await readAll('error'), ['an old error']);
});

test('what is older than seven days is removed, of a site too that writes nothing any more', async (t) => {
  siteLog.error(SITE, error('old'));
  await siteLog.flush();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.mock.timers.tick(6 * 86_400_000);
  await files.sweep();
  siteLog.error(SITE, error('six days later'));
  await siteLog.flush();
  assert.deepEqual(await readAll(), ['six days later', 'old']);
  t.mock.timers.tick(2 * 86_400_000);
  await files.sweep();
  assert.deepEqual(await readAll(), ['six days later']);
  t.mock.timers.tick(8 * 86_400_000);
  await files.sweep();
  assert.deepEqual(await readdir(folder), []);
});

test('what stands in the way at one site, or is none at all, keeps no other from being swept', async (t) => {
  siteLog.error(SITE, error('old'));
  await siteLog.flush();
  for (const stray of ['.stray', 'stray', 'z-stray']) await writeFile(join(folder, stray), '');
  // A folder where a piece should be, which can not be removed as one.
  for (const stuck of ['a', 'z'])
    await mkdir(join(folder, stuck, 'error-2020-01-01-000001.jsonl'), { recursive: true });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.mock.timers.tick(9 * 86_400_000);
  await files.sweep();
  assert.deepEqual((await readdir(folder)).sort(), ['.stray', 'a', 'stray', 'z', 'z-stray']);
});

test('a folder that is swept away while lines are on their way to it is made again, and no line is lost', async (t) => {
  const { open } = fs;
  // As another process does that sweeps between the moment the folder is made and the one the file in it is.
  const opening = t.mock.method(fs, 'open', async (...args: Parameters<typeof open>) => {
    if (opening.mock.callCount() === 0) await rmdir(join(folder, 's1'));
    return open(...args);
  });
  syncBuiltinESMExports();
  try {
    siteLog.error(SITE, error('kept'));
    await siteLog.flush();
  } finally {
    opening.mock.restore();
    syncBuiltinESMExports();
  }
  assert.equal(opening.mock.callCount(), 2);
  assert.deepEqual(await readAll(), ['kept']);
});

test('whoever follows gets each line once, from where they were, over pieces too', async (t) => {
  let place = await files.endOf('s1', 'error');
  const heard: string[] = [];
  const listen = async () => {
    for (;;) {
      const read = await files.readOn('s1', 'error', place);
      place = read.place;
      if (read.entries.length === 0) return;
      heard.push(...read.entries.map(({ entry }) => wordsOf(entry)));
    }
  };
  await listen();
  siteLog.error(SITE, error('one'));
  siteLog.error(SITE, error('two'));
  await siteLog.flush();
  await listen();
  await listen();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  siteLog.error(SITE, error('three'));
  await siteLog.flush();
  t.mock.timers.tick(86_400_000);
  siteLog.error(SITE, error('the next day'));
  await siteLog.flush();
  await listen();
  assert.deepEqual(heard, ['one', 'two', 'three', 'the next day']);
});

test('a look through a long log goes so far at a time, and tells where to go on', async () => {
  const line = `${JSON.stringify(error('z'.repeat(7_000)))}\n`;
  siteLog.error(SITE, error('needle'));
  await siteLog.flush();
  const [name] = await filesOf('error');
  await appendFile(join(folder, 's1', name as string), line.repeat(900));
  const first = await files.read('s1', 'error', { before: undefined, search: 'needle', limit: 10 });
  assert.equal(first.entries.length, 0);
  assert.ok(first.next);
  const second = await files.read('s1', 'error', { before: first.next, search: 'needle', limit: 10 });
  assert.equal(second.entries.length, 1);
  assert.equal(second.next, undefined);
});

test('errors of one place are one group with its count and its first and last moment, and words group what has no place', async () => {
  const now = Date.now();
  const said = (message: string) => ({ ...error(message, now - 500), level: 'plain' as const, file: null, line: null });
  for (const [at, name] of ['a', 'b', 'c'].entries())
    siteLog.error(SITE, error(`Undefined "${name}"`, now - 3000 + at));
  siteLog.error(SITE, { ...error('Undefined "a"', now - 2000), line: 8 });
  siteLog.error(SITE, said('Order 17 of "Ada" failed'));
  siteLog.error(SITE, said('Order 18 of "Bo" failed'));
  siteLog.error(SITE, said('Something else'));
  await siteLog.flush();
  const { groups, leftOut } = await files.groupErrors('s1');
  assert.deepEqual(
    groups.map(({ last, count }) => [last.message, count]),
    [
      ['Something else', 1],
      ['Order 18 of "Bo" failed', 2],
      ['Undefined "a"', 1],
      ['Undefined "c"', 3],
    ],
  );
  const [, , , many] = groups;
  assert.deepEqual([many?.firstAtMs, many?.lastAtMs, leftOut], [now - 3000, now - 2998, 0]);
  assert.equal((await files.groupErrors('s1', now - 1000)).groups.length, 2);
  assert.deepEqual(await files.groupErrors('nobody'), { groups: [], leftOut: 0 });
  for (let line = 0; line < 400; line++) siteLog.error(SITE, { ...error('many', now), line: 1000 + line });
  await siteLog.flush();
  const bounded = await files.groupErrors('s1');
  assert.equal(bounded.groups.length, 300);
  assert.ok(bounded.leftOut >= 100);
});

test('lines that somebody else has made are ours again, and what is no error is left out', async () => {
  const lines = [
    { atMs: 1, level: 'fatal', message: ['no text'], file: null, line: null, request: null },
    { atMs: 2, level: 'any', message: 'no level', file: null, line: null, request: null },
    { ...error('x\u001b[2J'.padEnd(9_000, 'y'), 3), more: 'of something' },
    { atMs: 4, note: '3 errors were left out here: too many at once.' },
    { atMs: '5', note: 'no time' },
  ];
  const again = errorLinesOf([...lines.map((line) => JSON.stringify(line)), '{"atMs": 6', ''].join('\n'));
  const [long, note] = again
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(long), ['atMs', 'level', 'message', 'file', 'line', 'request']);
  assert.ok(long.message.startsWith('x\ufffd[2Jyy') && long.message.endsWith('y… (1000 more characters)'));
  assert.deepEqual(note, { atMs: 4, note: '3 errors were left out here: too many at once.' });
  assert.equal(again.split('\n').length, 3);
  assert.equal(errorLinesOf(again), again);
});

test('errors that are made to be dear to compare cost hardly more than others', async () => {
  const filled = async (siteId: string, message: string) => {
    const log = new LogFolder(root, 7);
    const entry = { ...error(message), file: null, line: null };
    for (let part = 0; part < 4; part++)
      await log.append(siteId, 'error', Array.from({ length: 500 }, () => errorLine(entry)).join(''));
    const begun = process.cpuUsage();
    const { groups } = await groupErrors(log, siteId);
    const { user, system } = process.cpuUsage(begun);
    return { cpu: user + system, groups };
  };
  await filled('warm', 'plain words '.repeat(24));
  const plain = await filled('plain', 'plain words '.repeat(24));
  const dear = await filled('dear', `${'1'.repeat(287)}g`);
  assert.deepEqual([plain.groups.length, dear.groups.length], [1, 1]);
  assert.ok(dear.cpu < 5 * plain.cpu, `${dear.cpu} µs beside ${plain.cpu} µs`);
});

test('visits are found by method, and by a part of the path in whatever case', async () => {
  siteLog.visit(SITE, visit('/Shop/checkout?step=2'));
  siteLog.visit(SITE, { ...visit('/shop/checkout'), method: 'POST' });
  siteLog.visit(SITE, visit('/about'));
  await siteLog.flush();
  const found = async (filter: { method?: string; path?: string }) =>
    (await files.read('s1', 'access', { before: undefined, limit: 10, ...filter })).entries.map(({ entry }) =>
      wordsOf(entry),
    );
  assert.deepEqual(await found({ path: 'shop/CHECK' }), ['/shop/checkout', '/Shop/checkout?step=2']);
  assert.deepEqual(await found({ path: 'shop', method: 'POST' }), ['/shop/checkout']);
  assert.deepEqual(await found({ method: 'DELETE' }), []);
});

test('what lets somebody in is cut from addresses, and nothing else is', () => {
  for (const [address, kept] of [
    ['/wp-login.php?siteyard_login=1.abc.def', '/wp-login.php?siteyard_login=[cut]'],
    ['/wp-login.php?action=rp&key=Abc123&login=ada', '/wp-login.php?action=rp&key=[cut]&login=ada'],
    ['/?token=1&%74oken=2&tokens[]=3&a=4', '/?token=[cut]&%74oken=[cut]&tokens[]=[cut]&a=4'],
    [
      '/wp-json/wc/v3/orders?consumer_key=ck_1&consumer_secret=cs_1',
      '/wp-json/wc/v3/orders?consumer_key=[cut]&consumer_secret=[cut]',
    ],
    ['/?_wpnonce=123&s=monkey&keyword=key', '/?_wpnonce=123&s=monkey&keyword=key'],
    ['https://ada:pw@example.org/a?b=c', 'https://example.org/a?b=c'],
    ['GET /?pass=x&pwd=y', 'GET /?pass=[cut]&pwd=[cut]'],
    ['/a@b?%zz_key=1', '/a@b?%zz_key=[cut]'],
    ['/?JWT=1&authorization=2&oauth_verifier=3', '/?JWT=[cut]&authorization=[cut]&oauth_verifier=[cut]'],
    ['/?PHPSESSID=1&sessionid=2&session_id=3', '/?PHPSESSID=[cut]&sessionid=[cut]&session_id=[cut]'],
    ['/?otp=1&totp=2&login-otp=3&otp_try=4', '/?otp=[cut]&totp=[cut]&login-otp=[cut]&otp_try=[cut]'],
    ['/?bishop_type=1&photoproof=2&session=3&hotpick=4', '/?bishop_type=1&photoproof=2&session=3&hotpick=4'],
    ['/?user.pass=1&user+pass=2&user%20pass=3', '/?user.pass=[cut]&user+pass=[cut]&user%20pass=[cut]'],
    ['/?user%2Epass[]=1&v1.2=3&a+b=c.key', '/?user%2Epass[]=[cut]&v1.2=3&a+b=c.key'],
    ['/?user[pass]=1&user[otp]=2&user[id]=3', '/?user[pass]=[cut]&user[otp]=[cut]&user[id]=3'],
  ])
    assert.equal(maskAddress(address as string), kept);
});

test('a removed site leaves nothing behind, not even what had yet to be written', async () => {
  siteLog.error(SITE, error('one'));
  await siteLog.flush();
  siteLog.error(SITE, error('two'));
  await siteLog.forget('s1');
  await files.remove('s1');
  await siteLog.flush();
  assert.deepEqual(await readdir(folder), []);
});
