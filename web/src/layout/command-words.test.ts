import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTION_SYNONYMS, isNamed, SITE_SYNONYMS, siteWordsIn } from './command-words.ts';

test('the words of other dashboards lead to the pages of a site', () => {
  const pages = { ssl: 'domains', https: 'domains', dns: 'domains', backup: 'time', php: 'plugins', ftp: 'files' };
  for (const [word, path] of Object.entries(pages)) {
    const found = Object.keys(SITE_SYNONYMS).filter((page) =>
      isNamed(word, { label: '', keywords: SITE_SYNONYMS[page] ?? [] }),
    );
    assert.ok(found.includes(path), `${word}: ${found}`);
    assert.equal(siteWordsIn(word), '', word);
  }
});

test('an action is told from the name of the site that it is for', () => {
  assert.equal(siteWordsIn('purge cache of quay books'), 'quay books');
  assert.equal(siteWordsIn('Open wp-admin of Hollis'), 'hollis');
  assert.equal(siteWordsIn('restore hollis-bakery.localhost'), 'hollis-bakery.localhost');
  assert.equal(siteWordsIn('hollis backup'), 'hollis');
  assert.equal(siteWordsIn('hollis bakery'), undefined);
  assert.equal(siteWordsIn(''), undefined);
});

test('every word that was typed counts, in any order, and a name is found as it is written', () => {
  const purge = { label: 'Purge cache of Quay Books', hint: 'quay.example.com', keywords: ACTION_SYNONYMS.purge };
  for (const typed of [
    'purge quay',
    'quay clear cache',
    'flush the cache of quay.example',
    'purge cache of quay books',
  ])
    assert.ok(isNamed(typed, purge), typed);
  assert.ok(!isNamed('purge hollis', purge));
  assert.ok(isNamed('memb', { label: 'Members' }));
  assert.ok(!isNamed('ssl', { label: 'Members' }));
});
