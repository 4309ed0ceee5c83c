import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelIn } from './tell-folders.ts';

const FIELDS = ['Plugin Name', 'Version'];

test('a label is what stands behind its name, without the end of the comment around it', () => {
  const text = '<?php\n/*\n * Plugin Name:  A shop \r\n * Version: 1.0 */ echo 1;';
  assert.deepEqual(labelIn(text, FIELDS), { 'Plugin Name': 'A shop', Version: '1.0' });
  assert.deepEqual(labelIn('/* Plugin Name: One line ?> x', FIELDS), { 'Plugin Name': 'One line' });
  assert.equal(labelIn('/* Version: 1 */', FIELDS), null);
});

test('a label that is mostly space takes no longer than any other', () => {
  const text = `Plugin Name: a${' '.repeat(1_000_000)}b`;
  assert.equal(labelIn(text, FIELDS)?.['Plugin Name'], `a${' '.repeat(119)}`);
});
