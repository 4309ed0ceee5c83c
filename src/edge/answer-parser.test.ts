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
