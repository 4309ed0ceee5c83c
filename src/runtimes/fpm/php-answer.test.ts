import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ErrorStream } from './error-stream.ts';
import { RecordReader } from './fastcgi.ts';
import { PhpAnswer } from './php-answer.ts';

const STDOUT = 6;
const STDERR = 7;
const END = 3;

function record(type: number, text: string): Buffer {
  const content = Buffer.from(text, 'latin1');
  const head = Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 0xff, 0, 0]);
  return Buffer.concat([head, content]);
}

test('thousands of records in one piece are told at once, in however many pieces they come', () => {
  const heard: [string, number][] = [];
  let ends = 0;
  const reader = new RecordReader({
    stdout: (part) => heard.push(['stdout', part.length]),
    stderr: (part) => heard.push(['stderr', part.length]),
    end: () => ends++,
  });
  const small = Array.from({ length: 7_000 }, (_, at) => record(at % 2 ? STDOUT : STDERR, 'x'));
  reader.push(Buffer.concat([...small, record(END, '12345678')]));
  assert.deepEqual(
    [heard, ends],
    [
      [
        ['stderr', 3_500],
        ['stdout', 3_500],
      ],
      1,
    ],
  );
  heard.length = 0;
  for (const byte of record(STDOUT, 'whole')) reader.push(Buffer.from([byte]));
  assert.deepEqual(heard, [['stdout', 5]]);
});

test('a head has only so many lines and bytes, and its end is found between two parts', async () => {
  const answers: ((answer: PhpAnswer) => void)[] = [];
  const server = createServer((_request, response) => {
    const answer = new PhpAnswer(response, false);
    answers.shift()?.(answer);
    if (answer.hasHead)
      answer.finish({ complaints: { ranOutOfMemory: false, ranOutOfFiles: false }, isFatal: false, purge: false });
    else response.end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const ask = (said: (answer: PhpAnswer) => void) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      answers.push(said);
      get({ port, host: '127.0.0.1', agent: false }, (response) => resolve(response.resume())).once('error', reject);
    });
  try {
    const many = await ask((answer) =>
      answer.take(Buffer.from(`Status: 201 x\r\n${'a: x\r\n'.repeat(10_000)}\r\nbody`)),
    );
    assert.deepEqual([many.statusCode, many.rawHeaders.filter((name) => name === 'a').length], [201, 499]);
    const parts = await ask((answer) => {
      for (const byte of Buffer.from('Status: 202 x\r\n\r\nbody')) answer.take(Buffer.from([byte]));
    });
    assert.deepEqual([parts.statusCode, parts.headers['content-length']], [202, '4']);
    await ask((answer) => {
      const long = Buffer.from(`a: ${'x'.repeat(65_536)}\r\n\r\n`);
      assert.throws(() => answer.take(long), /too long/);
      assert.throws(() => answer.take(long.subarray(0, 65_537)), /too long/);
    });
  } finally {
    server.close();
  }
});

test('of what one request complains too much is counted and not read, but for how it ended', () => {
  const errors = new ErrorStream();
  const notice = `PHP message: PHP Notice: ${'x'.repeat(1_000)}; `;
  for (let at = 0; at < 200; at++) errors.take(Buffer.from(notice));
  errors.take(Buffer.from('PHP message: PHP Fatal error:  Allowed memory size of 1 bytes exhausted'));
  const messages = errors.finish();
  assert.ok(messages.length < 70);
  assert.match(messages.at(-1)?.text ?? '', /^1\d\d more messages/);
  assert.deepEqual([errors.isFatal, errors.complaints.ranOutOfMemory], [true, true]);
});
