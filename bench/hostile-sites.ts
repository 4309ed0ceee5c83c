import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import * as ws from 'ws';
import { archiveEntries } from '#core/archive/open-archive.ts';
import { maskText } from '#core/mask-secrets.ts';
import { variantKey, varyNames } from '#edge/cache/cache-key.ts';
import { freshnessOf } from '#edge/cache/freshness.ts';
import { keptPrivate } from '#edge/kept-private.ts';
import { headersByName } from '#edge/proxy/answer.ts';
import { AnswerParser } from '#edge/proxy/answer-parser.ts';
import { dkimKeyOf } from '#features/site-mail/dkim.ts';
import { readMail } from '#features/site-mail/mail-reader.ts';
import { asMailOf } from '#features/site-mail/sender.ts';
import { linksOfPage, withoutHost } from '#features/template/demo.links.ts';
import { EarlyInput } from '#features/terminal/early-input.ts';
import { MAX_MESSAGE_BYTES, readMessage } from '#features/terminal/terminal.protocol.ts';
import { errorLinesOf } from '#host/site-log/entries.ts';
import { ruleFilesIn } from '#integrations/git/git-rules.ts';
import { ErrorStream } from '#runtimes/fpm/error-stream.ts';
import { RecordReader } from '#runtimes/fpm/fastcgi.ts';
import { FrameReader } from '#runtimes/shell/frames.ts';
import { readDumpTables } from '#runtimes/wordpress/dump/load-dump.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { tarGz, zip } from '#testkit/archives/pack.ts';
import { type Hostile, MB, many } from './hostile-input.ts';

/** What a tenant can send by way of their site: its answers, files, mails, databases, repositories and programs. */
export function siteInputs(): Hostile[] {
  return [...answers(), ...archives(), ...dumps(), ...mails(), ...frames(), ...texts()];
}

/** The longest head of an answer that the edge reads. */
const HEAD_BYTES = 256 * 1024 - 200;

function answers(): Hostile[] {
  const answer = (name: string, lines: string, read: (rawHeaders: string[]) => unknown): Hostile => {
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${lines.slice(0, HEAD_BYTES)}\r\n\r\n`, 'latin1');
    return { name: `answer: ${name}`, bytes: bytes.length, read: () => read(headersIn(bytes)) };
  };
  const names = many(HEAD_BYTES / 5, (at) => (at + 1_296).toString(36)).join(',');
  return [
    answer('Set-Cookie', 'Set-Cookie:\r\n'.repeat(HEAD_BYTES / 13).trim(), headersByName),
    answer('Vary', `Vary: ${names}`, ([, value]) => variantKey('/', varyNames(value) ?? [], {})),
    answer('Cache-Control', `Cache-Control: ${'a,'.repeat(HEAD_BYTES / 2)}`, (headers) => [
      keptPrivate(headers),
      freshnessOf(200, headersByName(headers), false, 0),
    ]),
  ];
}

function headersIn(bytes: Buffer): string[] {
  let headers: string[] = [];
  const parser = new AnswerParser({
    head: (head) => {
      headers = head.rawHeaders;
    },
    data: () => {},
    end: () => {},
  });
  parser.begin(false);
  parser.push(bytes);
  return headers;
}

function archives(): Hostile[] {
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-hostile-'));
  const archive = (name: string, bytes: Buffer): Hostile => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return { name: `archive: ${name}`, bytes: bytes.length, read: () => entriesOf(file), isApart: true };
  };
  const deep = (at: number) => ({ name: `${'a/'.repeat(39)}${at}` });
  return [
    archive('zip of empty files in 39 folders', zip(many(MB / 290, deep))),
    archive('tar.gz of empty files, 1 MB unpacked', tarGz(many(MB / 512, (at) => ({ name: `a/${at}` })))),
  ];
}

async function entriesOf(file: string): Promise<number> {
  let count = 0;
  for await (const _ of archiveEntries(file, { maxBytes: 1024 * MB, maxEntries: 100_000 })) count++;
  return count;
}

function dumps(): Hostile[] {
  const dump = (name: string, sql: string): Hostile => {
    const bytes = Buffer.from(`${dumpOf()}CREATE TABLE wp_x (a double);${sql}`);
    return {
      name: `SQL: ${name}`,
      bytes: bytes.length,
      read: () => readDumpTables(piecesOf(bytes)).catch(String),
      isApart: true,
    };
  };
  return [
    dump('statements of one row', 'INSERT INTO wp_x VALUES(1);'.repeat(MB / 27)),
    dump('rows of one number', `INSERT INTO wp_x VALUES ${'(1),'.repeat(MB / 4)}(1);`),
    dump('a number that is none', `INSERT INTO wp_x VALUES ('${'0'.repeat(MB)}x');`),
    dump('a default of digits', `CREATE TABLE wp_y (a blob DEFAULT 0x${'f'.repeat(MB)});`),
    dump('comments', '/**/'.repeat(MB / 4)),
    dump('statements of nothing', ';'.repeat(MB)),
    dump('keys', `CREATE TABLE wp_y (a int${',KEY(a)'.repeat(MB / 7)});`),
  ];
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

function mails(): Hostile[] {
  const owner = { sender: 'wordpress@blog.example.com', domains: ['blog.example.com'] };
  const header = (name: string, line: string): Hostile => {
    const bytes = Buffer.from(`From: a@b.example\n${line.repeat(MB / line.length)}`);
    return { name: `mail: ${name}`, bytes: bytes.length, read: () => asMailOf(bytes, owner) };
  };
  const parts = many(300, (at) => `--b\r\nContent-Type: multipart/mixed; boundary=b${at}\r\n\r\n`).join('');
  const shown = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`.padEnd(MB, 'x'));
  const record = many(16 * 1024, () => ' ;p=').join('');
  return [
    header('header of fields', 'a: b\n'),
    header('header of folded lines', ' x\n'),
    header('From of spaces', ' '),
    { name: 'mail: parts in parts, as shown', bytes: shown.length, read: () => readMail(shown) },
    { name: 'DNS: a DKIM record of tags', bytes: record.length, read: () => dkimKeyOf(`v=DKIM1${record}`) },
  ];
}

function frames(): Hostile[] {
  const empty = maskedFrame('{"t":"in","d":""}');
  const socket = Buffer.concat(many(MB / empty.length, () => empty));
  const framed = Buffer.alloc(MB - (MB % 5));
  const records = Buffer.alloc(MB);
  for (let at = 0; at < MB; at += 8) records.set([1, 6], at);
  const said = Buffer.from('PHP message: x; '.repeat(MB / 16));
  return [
    { name: 'WebSocket: empty input of a terminal', bytes: socket.length, read: () => typed(socket) },
    {
      name: 'frames of the shell, empty',
      bytes: framed.length,
      read: () => framesIn(framed),
    },
    {
      name: 'FastCGI: empty records',
      bytes: records.length,
      read: () => new RecordReader({ stdout: () => {}, stderr: () => {}, end: () => {} }).push(records),
    },
    { name: 'PHP: short errors', bytes: said.length, read: () => complaintsIn(said) },
  ];
}

function framesIn(bytes: Buffer): number {
  let count = 0;
  for (const _ of new FrameReader().read(bytes)) count++;
  return count;
}

function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function typed(bytes: Buffer): Promise<number> {
  const early = new EarlyInput();
  // The types of the library leave its parser out.
  const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };
  const receiver = new Receiver({ isServer: true, maxPayload: MAX_MESSAGE_BYTES });
  receiver.on('message', (data: Buffer) => {
    const message = readMessage(data.toString());
    if (message?.t === 'in') early.add(Buffer.from(message.d));
  });
  return new Promise((resolve) => {
    receiver.write(bytes, () => resolve(early.take().length));
  });
}

function complaintsIn(bytes: Buffer): number {
  const stream = new ErrorStream();
  for (let at = 0; at < bytes.length; at += 64 * 1024) stream.take(bytes.subarray(at, at + 64 * 1024));
  return stream.finish().length;
}

function texts(): Hostile[] {
  const text = (name: string, part: string, read: (text: string) => unknown, bytes = MB): Hostile => {
    const whole = part.repeat(bytes / part.length);
    return { name, bytes: whole.length, read: () => read(whole) };
  };
  return [
    text('page: attributes that do not end', "href='", linksOfPage),
    text('page: addresses in scripts', '"/wp-content/', linksOfPage),
    text('page: short links', '<link rel=shortlink ', linksOfPage),
    text('page: its own host', 'http://blog.example.com', (html) => withoutHost(html, 'blog.example.com')),
    text(
      'log: lines of errors',
      '{"atMs":1,"level":"plain","message":"","file":null,"line":null,"request":null}\n',
      errorLinesOf,
    ),
    text('secrets: names', 'password', maskText),
    text('secrets: keys that do not end', '-----BEGIN PRIVATE KEY-----', maskText),
    text('git: a listing of rules', '100644 blob a 1\t.gitignore\0', ruleFilesIn),
  ];
}
