import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePassword, strengthOf } from './password-strength.ts';

test('a generated password is long, strong, unlike the next one, and has nothing that is read as something else', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  assert.equal(new Set(passwords).size, passwords.length);
  for (const password of passwords) {
    assert.match(password, /^[A-HJ-NP-Za-km-z2-9_-]{20}$/);
    assert.equal(strengthOf(password, []).level, 3, password);
  }
});

test('the advice knows short, common, repeated, named and good passwords apart', () => {
  const level = (password: string) => strengthOf(password, ['ada', 'lovelace']).level;
  assert.equal(level('Sh0rt!'), 0);
  assert.equal(level('Lovelace 1815!'), 0);
  assert.equal(level('Password123'), 0);
  assert.equal(level('aaaaaaaaaaaa'), 1);
  assert.equal(level('harbournotes'), 2);
  assert.equal(level('correct horse battery'), 3);
});
