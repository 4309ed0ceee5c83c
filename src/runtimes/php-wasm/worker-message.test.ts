import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessage } from './worker-message.ts';

const END = { type: 'end', outbox: ['mail-1'], ranOutOfMemory: false, changed: true };

test('what a worker says is taken as it is', () => {
  const log = { type: 'log', messages: [{ atMs: Date.now(), text: 'PHP Warning:  ...' }] };
  for (const message of [{ type: 'booted' }, { type: 'begin', request: null }, log, END])
    assert.equal(readMessage(message), message);
});

test('what makes no sense is not', () => {
  const texts = [
    null,
    [null],
    [{ atMs: 1e20, text: '' }],
    [{ atMs: 'now', text: '' }],
    [{ atMs: Date.now(), text: {} }],
  ];
  const logs = texts.map((messages) => ({ type: 'log', messages }));
  const ends = [{ outbox: 'all' }, { outbox: [1] }].map((part) => ({ ...END, ...part }));
  for (const message of [
    undefined,
    null,
    'end',
    7,
    {},
    { type: 'stop' },
    { type: 'begin', request: {} },
    ...logs,
    ...ends,
  ])
    assert.equal(readMessage(message), undefined, JSON.stringify(message));
});
