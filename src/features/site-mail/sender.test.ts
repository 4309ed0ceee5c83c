import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asMailOf, senderOf } from './sender.ts';

const whole = (message: Buffer, owner: Parameters<typeof asMailOf>[1]) => Buffer.concat(asMailOf(message, owner) ?? []);

const own = senderOf('www.shop.example.org');
const custom = { sender: own, domains: ['www.shop.example.org', 'shop.example.org', 'example.org'] };
const onPlatform = { sender: senderOf('blog.sites.example.net'), domains: ['blog.sites.example.net'] };

const rewrite = (header: string, owner = custom) => String(whole(Buffer.from(`${header}\r\n\r\nBody`), owner));
const headersOf = (header: string, owner = custom) => {
  const mail = rewrite(header, owner);
  assert.ok(mail.endsWith('\r\n\r\nBody'), mail);
  return mail.slice(0, -'\r\n\r\nBody'.length).split('\r\n');
};

test('an address of the site, or of a domain above it, stays as it was written', () => {
  const kept = [
    `From: ${own}`,
    'From: sales@shop.example.org',
    'From: sales@example.org',
    'from:   Shop <sales@EXAMPLE.org>',
    'From: "Shop, Ltd." <sales@example.org>',
    'From: =?UTF-8?B?R3LDvMOfZQ==?= <sales@example.org>',
    "From: Dr. O'Neil & Co <sales@example.org>",
    'From: A very long name\r\n <sales@example.org>',
  ];
  for (const from of kept) assert.deepEqual(headersOf(from), from.split('\r\n'), from);
  assert.deepEqual(headersOf('From: a@blog.sites.example.net', onPlatform), ['From: a@blog.sites.example.net']);
});

test('any other address becomes the reply address, and its name stays', () => {
  const foreign: [from: string, name: string, address: string][] = [
    ['From: Boss <boss@bank.example>', 'Boss', 'boss@bank.example'],
    ['From: "Boss, The" <boss@bank.example>', '"Boss, The"', 'boss@bank.example'],
    ['From: Boss\r\n\t<boss@bank.example>', 'Boss', 'boss@bank.example'],
    ['From :Boss <boss@bank.example>', 'Boss', 'boss@bank.example'],
    ['FROM: Boss <boss@notexample.org>', 'Boss', 'boss@notexample.org'],
    ['From: Boss <boss@sub.www.shop.example.org>', 'Boss', 'boss@sub.www.shop.example.org'],
    ['From: Boss <boss@org>', 'Boss', 'boss@org'],
  ];
  for (const [from, name, address] of foreign)
    assert.deepEqual(headersOf(from), [`From: ${name} <${own}>`, `Reply-To: ${name} <${address}>`], from);
  assert.deepEqual(headersOf('From: boss@bank.example'), [`From: ${own}`, 'Reply-To: boss@bank.example']);
});

test('a site under the platform writes for itself alone, and not for what is above it', () => {
  for (const address of ['a@sites.example.net', 'a@example.net', 'a@other.sites.example.net'])
    assert.deepEqual(headersOf(`From: ${address}`, onPlatform), [`From: ${onPlatform.sender}`, `Reply-To: ${address}`]);
});

test('a reply address that the site gave is left alone, and every other field with it', () => {
  const others = ['To: ada@example.com', 'Reply-To: ada@example.com', 'Subject: Two', ' lines'];
  const header = ['To: ada@example.com', 'From: boss@bank.example', ...others.slice(1)].join('\r\n');
  assert.deepEqual(headersOf(header), [`From: ${own}`, ...others]);
});

test('there is one From, and it is there, whatever the site wrote', () => {
  assert.deepEqual(headersOf('Subject: None'), [`From: ${own}`, 'Subject: None']);
  assert.deepEqual(headersOf(`From: ${own}\r\nSender: boss@bank.example\r\nFrom: boss@bank.example`), [`From: ${own}`]);
  assert.equal(String(whole(Buffer.from('\r\nBody'), custom)), `From: ${own}\r\n\r\nBody`);
  assert.equal(String(whole(Buffer.from('Subject: x'), custom)), `From: ${own}\r\nSubject: x\r\n\r\n`);
});

test('what two readers could understand in two ways is not passed on', () => {
  const tricks = [
    `From: ${own}, boss@bank.example`,
    `From: ${own} <boss@bank.example>`,
    `From: <${own}> <boss@bank.example>`,
    `From: "<${own}>" <boss@bank.example>`,
    `From: (<${own}>) boss@bank.example`,
    `From: boss@bank.example <${own}`,
    'From: boss@bank.example\0@example.org',
    'From: "boss@bank.example"@example.org',
    `From: team: ${own}, boss@bank.example;`,
    'From:',
  ];
  for (const from of tricks) {
    const [first = '', second] = headersOf(from);
    assert.match(first, new RegExp(`^From: (?:[^@<]+ <${own}>|${own})$`), from);
    assert.ok(second === undefined || second.startsWith('Reply-To: '), from);
  }
  // Lines that end in other ways, and lines that some take for the end of the header.
  const hidden = [
    `From: ${own}\nFrom: boss@bank.example`,
    `From: ${own}\rFrom: boss@bank.example`,
    `From: ${own}\r\n \r\nFrom: boss@bank.example`,
    `no field\r\nFrom: ${own}\r\nno field\r\nFrom: boss@bank.example`,
    ` folded\r\nFrom: ${own}`,
  ];
  for (const header of hidden) assert.deepEqual(headersOf(header), [`From: ${own}`], JSON.stringify(header));
});

test('the body stays as it is, to the byte', () => {
  const body = Buffer.from([0, 255, 13, 10, 10, 13, 128, 70, 114, 111, 109, 58]);
  const mail = whole(Buffer.concat([Buffer.from('From: Grüße <a@example.org>\n\n'), body]), custom);
  assert.deepEqual(mail, Buffer.concat([Buffer.from('From: Grüße <a@example.org>\r\n\r\n'), body]));
});

test('what has a header as no mail has one is not read through, and not passed on', () => {
  for (const line of ['a: b\n', ' x\n', 'x\r', `${'y'.repeat(1_000)}\n`]) {
    const began = performance.now();
    assert.equal(asMailOf(Buffer.from(`From: ${own}\n${line.repeat(8_000_000 / line.length)}`), custom), undefined);
    // The first 200 kB of it, and not 8 MB: seconds, before.
    assert.ok(performance.now() - began < 1_000, JSON.stringify(line.slice(0, 9)));
  }
});
