import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rewriteUrls } from './address.ts';
import { rewriteSerialized } from './serialized.ts';

const rewrite = rewriteUrls(new URL('http://old.localhost:8080'), new URL('https://new.example'));

describe('a new address', () => {
  for (const [before, after] of [
    ['http://old.localhost:8080', 'https://new.example'],
    ['https://old.localhost:8080/a?b#c', 'https://new.example/a?b#c'],
    ['//old.localhost:8080/x.css', '//new.example/x.css'],
    ['see http://old.localhost:8080.', 'see https://new.example.'],
    [String.raw`{"url":"http:\/\/old.localhost:8080\/a"}`, String.raw`{"url":"https:\/\/new.example\/a"}`],
    ['r=http%3A%2F%2Fold.localhost%3A8080%2Fa', 'r=https%3A%2F%2Fnew.example%2Fa'],
    ['HTTP://OLD.localhost:8080/', 'https://new.example/'],
  ] as const) {
    it(`replaces ${before}`, () => assert.equal(rewrite(before), after));
  }

  for (const text of [
    'http://very.old.localhost:8080/',
    'http://old.localhost:80801/',
    'http://old.localhost:8080.evil.example/',
    'http://old.localhost/',
    'ada@old.localhost:8080',
    'http://older.localhost:8080',
  ]) {
    it(`leaves ${text}`, () => assert.equal(rewrite(text), text));
  }

  it('leaves a host that the old one is only the beginning of', () => {
    const plain = rewriteUrls(new URL('http://a.example'), new URL('http://b.example'));
    for (const text of ['http://a.example.org', 'http://a.example:81', 'http://a.examples'])
      assert.equal(plain(text), text);
    assert.equal(plain('http://a.example.'), 'http://b.example.');
  });

  it('changes nothing when it is done again, although the new name ends with the old one', () => {
    const longer = rewriteUrls(new URL('http://blog.localhost'), new URL('http://my.blog.localhost'));
    const once = longer('http://blog.localhost/ //blog.localhost');
    assert.equal(once, 'http://my.blog.localhost/ //my.blog.localhost');
    assert.equal(longer(once), once);
  });
});

describe("PHP's serialised values", () => {
  const shout = (text: string) => text.replaceAll('old', 'quite new');

  for (const [before, after] of [
    ['s:3:"old";', 's:9:"quite new";'],
    ['a:2:{i:0;s:3:"old";s:3:"old";b:1;}', 'a:2:{i:0;s:9:"quite new";s:3:"old";b:1;}'],
    [
      'a:1:{s:1:"ü";s:7:"old ü€";}'.replace('s:1:"ü"', 's:2:"ü"').replace('s:7:"old ü€"', 's:9:"old ü€"'),
      'a:1:{s:2:"ü";s:15:"quite new ü€";}',
    ],
    ['O:8:"stdClass":2:{s:1:"a";N;s:1:"b";d:0.5;}', 'O:8:"stdClass":2:{s:1:"a";N;s:1:"b";d:0.5;}'],
    ['O:3:"old":1:{s:6:"\0*\0old";s:3:"old";}', 'O:3:"old":1:{s:6:"\0*\0old";s:9:"quite new";}'],
    ['a:1:{i:0;s:10:"s:3:"old";";}', 'a:1:{i:0;s:16:"s:9:"quite new";";}'],
    ['a:1:{i:0;a:1:{i:-5;a:0:{}}}', 'a:1:{i:0;a:1:{i:-5;a:0:{}}}'],
    ['a:3:{i:0;s:5:"a"";b";i:1;R:2;i:2;d:1.0E+25;}', 'a:3:{i:0;s:5:"a"";b";i:1;R:2;i:2;d:1.0E+25;}'],
    ['a:1:{i:0;E:11:"Suit:Hearts";}', 'a:1:{i:0;E:11:"Suit:Hearts";}'],
  ] as const) {
    it(`rebuilds ${JSON.stringify(before)}`, () => assert.equal(rewriteSerialized(before, shout), after));
  }

  for (const text of [
    'old',
    '',
    's:4:"old";',
    's:3:"old"',
    's:3:"old";s:3:"old";',
    'a:2:{i:0;s:3:"old";}',
    'a:1:{i:0;s:999:"old";}',
    'a:1:{i:0;C:3:"Foo":3:{old}}',
    'a:9999999999:{',
    'O:1:"old":0:{}',
    `${'a:1:{i:0;'.repeat(1000)}N;${'}'.repeat(1000)}`,
  ]) {
    it(`does not take ${JSON.stringify(text.slice(0, 40))} for one`, () =>
      assert.equal(rewriteSerialized(text, shout), undefined));
  }
});
