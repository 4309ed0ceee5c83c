import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { parseBody, readBody } from './body.ts';

suite('a form', () => {
  const parseForm = (text: string) => parseBody(Buffer.from(text), 'application/x-www-form-urlencoded');
  const formOf = (count: number, nameOf: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${nameOf(index)}=1`).join('&');
  const tooMany = [
    {
      loc: ['body'],
      msg: 'Value error, the form has more than 200 fields; send only the fields of this operation',
      type: 'value_error',
    },
  ];
  const repeated = (name: string) => ({
    loc: ['body', name],
    msg: 'Value error, must be there only once',
    type: 'value_error',
  });

  test('is decoded into its fields', () => {
    const { kind, value, faults } = parseForm('grant_type=password&username=a%40b.example&empty=&flag&name=A+B');
    assert.deepEqual(
      { kind, value, faults },
      {
        kind: 'form',
        value: { grant_type: 'password', username: 'a@b.example', empty: '', flag: '', name: 'A B' },
        faults: [],
      },
    );
  });

  test('names each field that is sent more than once, once', () => {
    assert.deepEqual(parseForm('a=1&b=1&a=2&c=1&a=3&b=2').faults, [repeated('a'), repeated('b')]);
    assert.deepEqual(parseForm('a=1&%61=2').faults, [repeated('a')]);
    assert.equal(parseForm(formOf(200, (index) => `a${index % 100}`)).faults.length, 100);
  });

  test('keeps names of the object prototype as ordinary fields', () => {
    const { value, faults } = parseForm('__proto__=1&constructor=2&toString=3&hasOwnProperty=4');
    assert.deepEqual(Object.entries(value as object), [
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
      ['hasOwnProperty', '4'],
    ]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(faults, []);
    assert.deepEqual(parseForm('__proto__=1&__proto__=2').faults, [repeated('__proto__')]);
  });

  test('has at most 200 fields', () => {
    const { value, faults } = parseForm(formOf(200, (index) => `a${index}`));
    assert.equal(Object.keys(value as object).length, 200);
    assert.deepEqual(faults, []);
    assert.deepEqual(parseForm(formOf(201, (index) => `a${index}`)).faults, tooMany);
  });

  /** Time is no measure of work on a busy machine: what is never decoded costs nothing. */
  function refusesUndecoded(t: TestContext, text: string): void {
    const raw = Buffer.from(text);
    const decode = t.mock.method(raw, 'toString');
    const search = t.mock.method(raw, 'indexOf');
    const { value, faults } = parseBody(raw, 'application/x-www-form-urlencoded');
    assert.deepEqual(faults, tooMany);
    assert.equal(value, undefined);
    assert.equal(decode.mock.callCount(), 0);
    assert.ok(search.mock.callCount() <= 201, `${search.mock.callCount()} separators were counted`);
  }

  test('of 100,000 different names is refused with one error and not decoded', (t) => {
    refusesUndecoded(
      t,
      formOf(100_000, (index) => `a${index}`),
    );
  });

  test('of one name 240,000 times is refused with one error and not decoded', (t) => {
    refusesUndecoded(
      t,
      formOf(240_000, () => 'a'),
    );
  });

  test('of separators alone is refused with one error and not decoded', (t) => {
    refusesUndecoded(t, '&'.repeat(1_000_000));
  });
});

test('a body that its operation takes as bytes is not parsed', (t) => {
  const raw = Buffer.from('{"a":1}');
  const parse = t.mock.method(JSON, 'parse');
  const { kind, value } = readBody(raw, 'application/json', { accepts: ['bytes'] });
  assert.deepEqual([kind, value], ['bytes', raw]);
  assert.equal(parse.mock.callCount(), 0);
  assert.deepEqual(readBody(raw, 'application/json', {}).value, { a: 1 });
});
