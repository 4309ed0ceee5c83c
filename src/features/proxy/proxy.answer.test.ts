import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { toProxyAnswer } from './proxy.answer.ts';

const PASSWORD = 'abcd efgh "ijkl" mnop';
const BASIC = Buffer.from(`ada:${PASSWORD}`).toString('base64');
const SECRETS = [BASIC, PASSWORD, `ada:${PASSWORD}`];

const answer = (body: string | Buffer, headers: Record<string, string | string[]> = {}, secrets = SECRETS) =>
  toProxyAnswer(
    { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) },
    secrets,
  );

suite('the body of a passed-on answer', () => {
  const JPEG = Buffer.from([0x89, 0x50, 0xff]);
  const cases: [what: string, type: string, body: string | Buffer, encoding: string, shown: unknown][] = [
    ['JSON is parsed', 'application/json', '[{"id":7}]', 'json', [{ id: 7 }]],
    ['JSON of a vendor is parsed', 'application/hal+json; charset=utf-8', '{"a":1}', 'json', { a: 1 }],
    ['broken JSON is text', 'application/json', '{"a":', 'text', '{"a":'],
    ['text is text', 'text/plain', 'words', 'text', 'words'],
    ['XML is text', 'application/rss+xml', '<a/>', 'text', '<a/>'],
    ['a picture is base64', 'image/png', JPEG, 'base64', 'iVD/'],
    ['a picture that calls itself text is base64', 'text/plain', JPEG, 'base64', 'iVD/'],
    ['what has no type is base64', '', 'words', 'base64', 'd29yZHM='],
    ['nothing is nothing', 'application/json', '', 'empty', null],
  ];
  for (const [what, type, body, encoding, shown] of cases)
    test(what, async () => {
      const { body: found, body_encoding } = await answer(body, { 'content-type': type });
      assert.deepEqual([body_encoding, found], [encoding, shown]);
    });

  test('that is compressed although the request did not allow it is returned as base64', async () => {
    const compressed = await answer('{}', { 'content-encoding': 'gzip' });
    assert.equal(compressed.body_encoding, 'base64');
    assert.equal((await answer('{}', { 'content-encoding': 'Identity' })).body_encoding, 'json');
  });

  test('is passed on as text where it is larger, deeper or more than could be parsed while others wait', async () => {
    const many = (values: number) => `[${'{},'.repeat(values - 3)}{} ]`;
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const long = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
    for (const [large, small] of [
      [many(50_001), many(25_000)],
      [deep(501), deep(500)],
      [long(2 * 1024 * 1024 + 1), long(2 * 1024 * 1024)],
    ] as const) {
      const { body, body_encoding } = await answer(large);
      assert.deepEqual([body_encoding, body === large], ['text', true]);
      assert.equal((await answer(small)).body_encoding, 'json');
    }
  });
});

suite('nothing of a credential is passed on', () => {
  test('from a body, however it is encoded or escaped there', async () => {
    const echo = { authorization: `Basic ${BASIC}`, password: PASSWORD, nested: JSON.stringify({ p: PASSWORD }) };
    const text = JSON.stringify(await answer(JSON.stringify(echo)));
    const spellings = [PASSWORD, JSON.stringify(PASSWORD).slice(1, -1), BASIC];
    for (const secret of spellings) assert.ok(!text.includes(secret), secret);
    const { body } = await answer(`It is ${PASSWORD}.`, { 'content-type': 'text/plain' });
    assert.equal(body, 'It is [cut].');
  });

  test('from JSON as PHP writes it, with escaped slashes and numbers for letters', async () => {
    const secret = 'with/slashes/and/ä';
    const php = JSON.stringify({ password: secret }).replaceAll('/', '\\/').replaceAll('ä', '\\u00e4');
    assert.deepEqual((await answer(php, {}, [secret])).body, { password: '[cut]' });
  });

  test('from a header', async () => {
    const { headers } = await answer('', { 'x-echo': `Basic ${BASIC}`, link: [PASSWORD, 'b'] });
    assert.deepEqual([headers['x-echo'], headers.link], ['Basic [cut]', '[cut], b']);
  });
});

test('headers of the connection, cookies and our own do not travel on, and all others do', async () => {
  const dropped = ['set-cookie', 'set-cookie2', 'transfer-encoding', 'content-length', 'keep-alive', 'upgrade', 'te'];
  const hops = Object.fromEntries([...dropped, 'trailer', 'x-siteyard-failure'].map((name) => [name, 'x']));
  const connection = 'X-Secret-Hop, x-other-hop';
  const { headers } = await answer('', {
    ...hops,
    connection,
    'x-secret-hop': '1',
    'x-other-hop': '2',
    'x-wp-total': '3',
  });
  assert.deepEqual(headers, { 'content-type': 'application/json', 'x-wp-total': '3' });
});
