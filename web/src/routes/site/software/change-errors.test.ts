import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, otherErrorsOf } from './change-errors.ts';

const step = (name: string, error: string | null) =>
  ({ kind: 'plugin', action: 'install', name, title: name, from: null, to: null, error }) as const;

test('an error of a plugin is shown once, whatever says it, and none is lost', () => {
  const [forms, shop] = [step('Forms', 'The server could not be reached.'), step('Shop', 'No such plugin.')];
  const failure = 'WordPress did not do it: The server could not be reached. Nothing was changed.';
  assert.deepEqual(otherErrorsOf({ failure, changes: [forms] }), []);
  assert.deepEqual(otherErrorsOf({ failure, changes: [forms, shop, step('Akismet', null)] }), [shop]);
  assert.deepEqual(otherErrorsOf({ failure: null, changes: [forms] }), [forms]);
});

test('the sentence about a failure goes without what PHP said', () => {
  assert.equal(failureOf({ failure: 'It broke. PHP said: Fatal error: x\nin y' }), 'It broke.');
  assert.equal(failureOf({ failure: null }), null);
});
