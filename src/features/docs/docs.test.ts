import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchGuides } from './docs.ts';
import { loadGuides } from './guides.ts';

describe('searching the guides', () => {
  it('finds what is asked for by other forms of the word, by its beginning and with a wrong letter', async () => {
    for (const words of ['restore', 'how do I restore my site?', 'restored', 'restor', 'resotre', 'RESTORES']) {
      const [best] = await searchGuides(words, 5);
      assert.equal(best?.title, 'Time machine', words);
    }
    const [undo] = await searchGuides('undo restore', 1);
    assert.equal(undo?.address, '/docs/time-machine#undo-a-restore');
    assert.match(undo.excerpt, /undoes it/);
  });

  it('leads to headings that are there', async () => {
    const guides = await loadGuides();
    const found = (
      await Promise.all(['site', 'webhook', 'backup', 'domain'].map((word) => searchGuides(word, 20)))
    ).flat();
    assert.ok(found.length > 20);
    for (const { address } of found) {
      const [, slug, anchor] = /^\/docs\/([a-z-]+)(?:#(.+))?$/.exec(address) ?? assert.fail(address);
      const guide = guides.find((each) => each.slug === slug);
      assert.ok(guide && (anchor === undefined || guide.html.includes(`id="${anchor}"`)), address);
    }
  });

  it('answers with nothing where there is nothing, whatever is asked', async () => {
    for (const words of ['', '   ', 'the of and', 'zzyzx qqqq', '*'.repeat(10_000), '\u0000'])
      assert.deepEqual(await searchGuides(words, 5), [], JSON.stringify(words.slice(0, 20)));
  });
});
