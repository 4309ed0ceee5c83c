import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMail } from './mail-reader.ts';

const mail = (body: string, header = 'Subject: =?utf-8?B?R3LDvMOfZQ==?=') => Buffer.from(`${header}\r\n\r\n${body}`);

test('a mail is read, of a long one the beginning', async () => {
  const read = await readMail(mail('Hello'));
  assert.deepEqual([read?.subject, read?.text.trim(), read?.html], ['Grüße', 'Hello', null]);
  const long = await readMail(mail(`${'word '.repeat(50_000)}end`));
  assert.ok(long?.text.startsWith('word word'));
  assert.ok(!long?.text.includes('end'));
});

test('what would keep the parser, or breaks it, is not read', async () => {
  const nested = Array.from(
    { length: 300 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  );
  for (const hostile of [
    mail('\n'.repeat(30_000)),
    mail('x', `To: ${'g:'.repeat(10_000)}`),
    mail('x', 'a: b\r\n'.repeat(2_000)),
    Buffer.from('no header ends here'),
    Buffer.from(nested.join('')),
  ])
    assert.equal(await readMail(hostile), undefined, hostile.toString('latin1', 0, 60));
});
