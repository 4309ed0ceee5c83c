import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findScript } from './find-script.ts';

const find = (url: string) => findScript(url, (path) => !path.startsWith('/missing'));

test('a path names a script, and what follows the script is its path info', () => {
  assert.deepEqual(find('/a.php/b/c.php?d.php'), { path: '/a.php', pathInfo: '/b/c.php' });
  assert.deepEqual(find('/a'), { path: '/a/index.php', pathInfo: '' });
  assert.deepEqual(find('/missing.php/b'), { path: '/index.php', pathInfo: '' });
});

test('path info may hold any character that separates lines', () => {
  assert.deepEqual(find('/a.php/%E2%80%A8%0A'), { path: '/a.php', pathInfo: '/\u2028\n' });
});

test('a path of 200,000 scripts takes no longer than any other', () => {
  const { path, pathInfo } = find(`/a${'.php/'.repeat(200_000)}%E2%80%A8`);
  assert.deepEqual([path, pathInfo.length], ['/a.php', 5 * 200_000 - 4 + 1]);
});
