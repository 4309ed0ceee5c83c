import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerParser } from './proxy/answer-parser.ts';

interface Parsed {
  status: number;
  headers: string[];
  body: string;
  trailers: string[] | undefined;
  keepsAlive: boolean;
}

/** Parses an answer that arrives in pieces of the given size, and whose connection may close behind it. */
function parse(text: string, { pieceBytes = 1e9, isHead = false, closes = false } = {}): Parsed {
  const parsed: Parsed = { status: 0, headers: [], body: '', trailers: undefined, keepsAlive: false };
  const parser = new AnswerParser({
    head: ({ status, rawHeaders, keepsAlive }) => Object.assign(parsed, { status, headers: rawHeaders, keepsAlive }),
    data: (chunk) => {
      parsed.body += chunk.toString('latin1');
    },
    end: (trailers) => {
      parsed.trailers = trailers;
    },
  });
  parser.begin(isHead);
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.push(bytes.subarray(at, at + pieceBytes));
  if (closes) parser.close();
  return parsed;
}

const CHUNKED = [
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A:  b \r\nX-A: c\r\n\r\n',
  '5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nX-Purge: all\r\nX-B: 1\r\n\r\n',
].join('');

test('an answer is the same in whatever pieces it arrives', () => {
  for (let pieceBytes = 1; pieceBytes <= CHUNKED.length; pieceBytes++) {
    const { status, headers, body, trailers, keepsAlive } = parse(CHUNKED, { pieceBytes });
    assert.deepEqual([status, body, keepsAlive], [200, 'hello world', true]);
    assert.deepEqual(headers, ['Transfer-Encoding', 'chunked', 'X-A', 'b', 'X-A', 'c']);
    assert.deepEqual(trailers, ['X-Purge', 'all', 'X-B', '1']);
  }
  for (const pieceBytes of [1, 2, 3, 7, 100]) {
    const plain = parse('HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello', { pieceBytes });
    assert.deepEqual([plain.status, plain.body, plain.trailers], [404, 'hello', []]);
  }
});

test('an answer ends where it says: by length, by chunks, by the connection, or at its head', () => {
  assert.deepEqual(parse('HTTP/1.1 204 No Content\r\n\r\n').trailers, []);
  assert.deepEqual(parse('HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n').trailers, []);
  assert.deepEqual(parse('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', { isHead: true }).trailers, []);
  assert.deepEqual(parse('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n').trailers, []);
  const open = 'HTTP/1.1 200 OK\r\n\r\nuntil the end';
  assert.equal(parse(open).trailers, undefined);
  assert.deepEqual([parse(open, { closes: true }).body, parse(open, { closes: true }).trailers], ['until the end', []]);
  assert.equal(
    parse('HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na').body,
    'a',
  );
});

test('only a connection whose answer has a clear end is used again', () => {
  assert.equal(parse('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n').keepsAlive, true);
  assert.equal(parse('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n').keepsAlive, false);
  assert.equal(parse('HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n').keepsAlive, false);
  assert.equal(parse('HTTP/1.1 200 OK\r\n\r\n').keepsAlive, false);
});

test('what could be read in two ways is refused', () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\r\n folded\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX A: b\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A : b\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\nX-B: c\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\rc\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\u0001c\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\u007fc\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: b\u000bc\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: b\u0001c\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'nonsense\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab',
    `HTTP/1.1 200 OK\r\nX-A: ${'b'.repeat(300_000)}`,
  ];
  for (const answer of answers) assert.throws(() => parse(answer), Error, answer.slice(0, 100));
});

const SMALL = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n';
const CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n';

test('a response has at most 200 headers, and as many trailers; beyond that the reason names the most frequent one', () => {
  assert.equal(parse(`${SMALL}${'Set-Cookie: a\r\n'.repeat(199)}\r\n`).headers.length, 400);
  assert.throws(() => parse(`${SMALL}${'Set-Cookie: a\r\n'.repeat(3_000)}\r\n`), {
    name: 'SiteFailure',
    message: /^The response has 3,001 headers, 3,000 of them Set-Cookie; the limit is 200\. Find the plugin/,
  });
  assert.equal(parse(`${CHUNKS}${'X-A: b\r\n'.repeat(200)}\r\n`).trailers?.length, 400);
  assert.throws(() => parse(`${CHUNKS}${'X-A: b\r\n'.repeat(201)}\r\n`), /has 201 headers, 201 of them X-A;/);
});

test('a head has at most 64 kB, in whatever pieces it arrives, and so have trailers and the line of a chunk', () => {
  for (const pieceBytes of [1e9, 1_000]) {
    const most = `${SMALL}X-A: ${'b'.repeat(65_536 - SMALL.length - 'X-A: '.length)}`;
    assert.equal(parse(`${most}\r\n\r\n`, { pieceBytes }).headers.length, 4);
    assert.throws(() => parse(`${most}b\r\n\r\n`, { pieceBytes }), /larger than 64 kB; X-A takes 65,[45]\d\d bytes/);
    assert.throws(
      () => parse(`${SMALL}${'Set-Cookie: a\r\n'.repeat(16_000)}\r\n`, { pieceBytes }),
      /larger than 64 kB; Set-Cookie takes/,
    );
    assert.throws(() => parse(`${CHUNKS}${most}b\r\n\r\n`, { pieceBytes }), /larger than 64 kB/);
    assert.throws(
      () => parse(CHUNKS.replace(/0\r\n$/, `1;${'b'.repeat(65_536)}`), { pieceBytes }),
      /larger than 64 kB/,
    );
  }
});

test('at most 16 informational heads come before the one of the response', () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n';
  assert.equal(parse(`${hint.repeat(16)}${SMALL}\r\n`).status, 200);
  assert.throws(() => parse(hint.repeat(17)), /^SiteFailure: More than 16 heads with a status of 1xx/);
});

test('what arrives byte by byte is searched and copied a few times at most', (t) => {
  const long = 'b'.repeat(3_000);
  const texts = [
    `${SMALL}X-A: ${long}\r\n\r\n`,
    `${CHUNKS}X-A: ${long}\r\n\r\n`,
    CHUNKS.replace(/0\r\n$/, `1;${long}\r\na\r\n0\r\n\r\n`),
  ];
  const { indexOf, copy } = Buffer.prototype;
  const { concat } = Buffer;
  let bytes = 0;
  t.mock.method(Buffer.prototype, 'indexOf', function (this: Buffer, mark: string, from = 0) {
    bytes += this.length - from;
    return indexOf.call(this, mark, from);
  });
  t.mock.method(Buffer.prototype, 'copy', function (this: Buffer, ...args: Parameters<typeof copy>) {
    const copied = copy.apply(this, args);
    bytes += copied;
    return copied;
  });
  t.mock.method(Buffer, 'concat', (list: Buffer[]) => {
    const joined = concat(list);
    bytes += joined.length;
    return joined;
  });
  for (const text of texts) {
    bytes = 0;
    assert.equal(parse(text, { pieceBytes: 1 }).status, 200);
    assert.ok(bytes < 20 * text.length, `${bytes} of ${text.length}`);
  }
});

test('a value may hold a tab and letters beyond ASCII', () => {
  const { headers } = parse('HTTP/1.1 204 No Content\r\nX-A: b\tc \u00fc\u0080\r\n\r\n');
  assert.deepEqual(headers, ['X-A', 'b\tc \u00fc\u0080']);
});

test('an answer that breaks off is not taken for a whole one', () => {
  for (let length = 1; length < CHUNKED.length; length++) {
    assert.throws(() => parse(CHUNKED.slice(0, length), { closes: true }), /broke off/, String(length));
  }
  assert.throws(() => parse('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na', { closes: true }), /broke off/);
});
