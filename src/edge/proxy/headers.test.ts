import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptPrivate } from '../kept-private.ts';
import { answerHeaders } from './headers.ts';

test('a Connection header removes the headers that it names, and the usual ones name none', () => {
  const headers = ['X-A', '1', 'X-B', '2', 'Content-Length', '3'];
  const passed = (...connections: string[]) =>
    answerHeaders([...headers, ...connections.flatMap((each) => ['Connection', each])]);
  for (const usual of ['', ' keep-alive ', 'Close', '\u00a0close']) assert.deepEqual(passed(usual), headers);
  assert.deepEqual(passed('close, x-a'), headers.slice(2));
  assert.deepEqual(passed('X-A', 'x-b, Content-Length'), headers.slice(4));
});

// HTTP parsers remove spaces and tabs around a value, and leave the no-break space to whoever reads it.
test('a Connection header of a million no-break spaces takes no longer than any other', () => {
  const headers = answerHeaders(['Connection', `${'\u00a0'.repeat(1_000_000)}x`, 'X', '1']);
  assert.deepEqual(headers, []);
});

test('a Cache-Control header has as many directives as it likes', () => {
  const [name, value] = keptPrivate(['Cache-Control', 'a,'.repeat(200_000)]);
  assert.equal(name, 'Cache-Control');
  assert.equal(value?.split(', ').length, 200_001);
});
