import { gzipSync, zstdCompressSync } from 'node:zlib';
import { dumpOf } from './dump.ts';
import { type Packed, pax, tar, tarGz, zip } from './pack.ts';

export interface Hostile {
  name: string;
  bytes: Buffer;
  /** What whoever sent it is told. */
  says: RegExp;
}

/** A whole site, so that only what is added to it is wrong. */
export const GOOD: Packed[] = [
  { name: 'content/plugins/hello/hello.php', data: '<?php' },
  { name: 'content/themes/plain/style.css', data: '/*\nTheme Name: Plain\n*/' },
  { name: 'database.sql', data: dumpOf() },
];

const both = (name: string, extra: Packed, says: RegExp): Hostile[] => [
  { name: `${name} in a zip`, bytes: zip([...GOOD, extra]), says },
  { name: `${name} in a tar`, bytes: tarGz([...GOOD, extra]), says },
];
const zeros = (bytes: number) => Buffer.alloc(bytes);
const replaced = (bytes: Buffer, at: number, by: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)]);
const file = (name: string | Buffer): Packed => ({ name, data: 'x' });
const long = (parts: number) => `content/${'d/'.repeat(parts)}f`;

/** What is not more than a few bytes small, once it is unpacked; the limits of the test are below it. */
export const UNPACKED_LIMIT = 8_000_000;
export const ENTRY_LIMIT = 500;

function badNames(): Hostile[] {
  return [
    ...both('a path that leads up', file('content/../../evil.php'), /leads out of its folder/),
    ...both('a path that begins with up', file('../evil.php'), /leads out of its folder/),
    ...both('only up', { name: '..' }, /leads out of its folder/),
    ...both('an absolute path', file('/etc/cron.d/evil'), /absolute path/),
    ...both('two slashes in front', file('//host/share/evil'), /absolute path/),
    ...both('a drive', file('C:/Windows/evil'), /names a drive/),
    ...both('backslashes', file('content\\..\\..\\evil'), /backslash/),
    ...both('a line break in a name', file('content/a\nb'), /control character/),
    ...both('an escape sequence in a name', file('content/\x1b[2J'), /control character/),
    { name: 'a zero byte in a name', bytes: zip([...GOOD, file('content/a\0.php')]), says: /control character/ },
    ...both('a name that is no UTF-8', file(Buffer.from([0x63, 0xff, 0xfe])), /not UTF-8/),
    ...both('the same name twice', file('content/plugins/hello/hello.php'), /in it twice/),
    ...both('the same name in capitals', file('content/plugins/HELLO/Hello.PHP'), /in it twice/),
    ...both('a file that is a folder too', file('content/plugins/hello'), /in it twice/),
    ...both('a folder below a file', file('content/plugins/hello/hello.php/x'), /in it twice/),
    { name: 'a very deep path', bytes: zip([...GOOD, file(long(60))]), says: /folders deep/ },
    { name: 'a very long name', bytes: zip([...GOOD, file(`content/${'n'.repeat(300)}`)]), says: /too long/ },
    { name: 'a very long path', bytes: zip([...GOOD, file(`content/${'nnnn/'.repeat(300)}x`)]), says: /too long/ },
    {
      name: 'a path that leads up, told by pax',
      bytes: tarGz([...GOOD, { name: 'x', type: 'x', data: pax('path', '../../evil') }, file('content/ok')]),
      says: /leads out of its folder/,
    },
    {
      name: 'an absolute path, told as a long name of GNU',
      bytes: tarGz([...GOOD, { name: '././@LongLink', type: 'L', data: '/etc/passwd\0' }, file('content/ok')]),
      says: /absolute path/,
    },
    {
      name: 'a name without end',
      bytes: tarGz([...GOOD, { name: 'x', type: 'L', data: zeros(100_000) }, file('content/ok')]),
      says: /too long/,
    },
  ];
}

function badKinds(): Hostile[] {
  const tarKinds = {
    '1': /hard link/,
    '2': /symbolic link/,
    '3': /device/,
    '4': /device/,
    '6': /named pipe/,
    S: /holes/,
  };
  const zipKinds: [number, RegExp][] = [
    [0o120777, /symbolic link/],
    [0o020666, /device/],
    [0o060666, /device/],
    [0o010666, /named pipe/],
    [0o140666, /socket/],
  ];
  return [
    ...Object.entries(tarKinds).map(([type, says]) => ({
      name: `a tar entry of the kind ${type}`,
      bytes: tarGz([...GOOD, { name: 'content/evil', type }]),
      says,
    })),
    ...zipKinds.map(([mode, says]) => ({
      name: `a zip entry with the mode ${mode.toString(8)}`,
      bytes: zip([...GOOD, { name: 'content/evil', data: '/etc/passwd', mode }]),
      says,
    })),
    {
      name: 'a tar entry of a kind that nobody knows',
      bytes: tarGz([...GOOD, { name: 'content/x', type: 'Z' }]),
      says: /unknown kind/,
    },
    ...both('a file that runs as root', { name: 'content/x', data: 'x', mode: 0o104755 }, /another user/),
    ...both('a file that runs as a group', { name: 'content/x', data: 'x', mode: 0o102755 }, /another user/),
    {
      name: 'a folder with a content',
      bytes: tarGz([...GOOD, { name: 'content/x/', type: '5', data: 'x' }]),
      says: /folder with a content/,
    },
    {
      name: 'a file with holes, told by pax',
      bytes: tarGz([...GOOD, { name: 'x', type: 'x', data: pax('GNU.sparse.major', '1') }, file('content/ok')]),
      says: /holes/,
    },
  ];
}

function tooMuch(): Hostile[] {
  const bomb = { name: 'content/bomb', data: zeros(UNPACKED_LIMIT + 1) };
  const many = Array.from({ length: ENTRY_LIMIT }, (_, at) => file(`content/${at}`));
  const nested = gzipSync(gzipSync(tar([...GOOD, bomb])));
  return [
    ...both('a bomb', bomb, /unpacks to more than 8 MB/),
    { name: 'a bomb in a tar.zst', bytes: zstdCompressSync(tar([...GOOD, bomb])), says: /unpacks to more than 8 MB/ },
    {
      name: 'a bomb beside the content',
      bytes: tarGz([...GOOD, { ...bomb, name: 'elsewhere' }]),
      says: /unpacks to more than/,
    },
    {
      name: 'a bomb of headers',
      bytes: tarGz([...GOOD, ...Array(16_000).fill({ name: 'x', type: 'g' })]),
      says: /unpacks to more than/,
    },
    { name: 'too many files in a zip', bytes: zip([...GOOD, ...many]), says: /more than 500 files/ },
    { name: 'too many files in a tar', bytes: tarGz([...GOOD, ...many]), says: /more than 500 files/ },
    { name: 'a packed archive in a packed one', bytes: nested, says: /damaged|no archive/ },
    {
      name: 'a file that says it is a terabyte',
      bytes: tarGz([...GOOD, { name: 'content/x', says: { size: 8 ** 11 - 1 } }]),
      says: /cut off|more than/,
    },
    {
      name: 'a pax header with a size beyond all',
      bytes: tarGz([...GOOD, { name: 'x', type: 'x', data: pax('size', '9'.repeat(30)) }, file('content/ok')]),
      says: /damaged/,
    },
    {
      name: 'a pax header that is longer than itself',
      bytes: tarGz([...GOOD, { name: 'x', type: 'x', data: '999 path=a\n' }, file('content/ok')]),
      says: /damaged/,
    },
    {
      name: 'a zip entry larger than it says',
      bytes: zip([...GOOD, { name: 'content/x', data: zeros(1000), says: { size: 10 } }]),
      says: /damaged/,
    },
    {
      name: 'a zip entry smaller than it says',
      bytes: zip([...GOOD, { name: 'content/x', data: 'x', says: { size: 1000 } }]),
      says: /damaged/,
    },
  ];
}

function broken(): Hostile[] {
  const [goodZip, goodTar] = [zip(GOOD), tarGz(GOOD)];
  const lying64 = replaced(goodZip, goodZip.length - 6, Buffer.from([0xff, 0xff, 0xff, 0xff]));
  return [
    { name: 'nothing', bytes: Buffer.alloc(0), says: /no zip/ },
    { name: 'a text', bytes: Buffer.from('hello, this is not an archive'), says: /no zip/ },
    { name: 'a plain tar', bytes: tar(GOOD), says: /no zip/ },
    { name: 'the start of a zip alone', bytes: Buffer.from('PK\x03\x04'), says: /damaged/ },
    { name: 'half a zip', bytes: goodZip.subarray(0, goodZip.length / 2), says: /damaged/ },
    { name: 'half a tar', bytes: goodTar.subarray(0, goodTar.length / 2), says: /damaged|cut off/ },
    { name: 'a tar that ends in a file', bytes: gzipSync(tar(GOOD, 0).subarray(0, 1100)), says: /cut off|content/ },
    { name: 'gzip of noise', bytes: Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(200, 7)]), says: /damaged/ },
    {
      name: 'zstd of noise',
      bytes: Buffer.concat([Buffer.from('28b52ffd', 'hex'), Buffer.alloc(200, 7)]),
      says: /damaged/,
    },
    { name: 'a tar with a wrong sum', bytes: tarGz([{ ...file('content/x'), says: { sum: 1 } }]), says: /damaged/ },
    {
      name: 'a zip with a wrong sum',
      bytes: zip([...GOOD, { ...file('content/x'), says: { crc: 1 } }]),
      says: /damaged/,
    },
    { name: 'a zip that says its list is elsewhere', bytes: lying64, says: /damaged/ },
    {
      name: 'a zip with a password',
      bytes: zip([...GOOD, { ...file('content/x'), says: { flags: 1 } }]),
      says: /encrypted/,
    },
    {
      name: 'a zip packed in an unknown way',
      bytes: zip([...GOOD, { ...file('content/x'), says: { method: 99 } }]),
      says: /do not know/,
    },
  ];
}

function noSites(): Hostile[] {
  const [plugin, theme, dump] = GOOD as [Packed, Packed, Packed];
  return [
    { name: 'no content', bytes: zip([dump]), says: /no content\// },
    { name: 'no database', bytes: zip([plugin, theme]), says: /no database\.sql/ },
    {
      name: 'an archive in the archive',
      bytes: zip([{ name: 'site.zip', data: zip(GOOD) }]),
      says: /another archive, site\.zip/,
    },
    {
      name: 'two databases',
      bytes: zip([plugin, { name: 'a.sql', data: '' }, { name: 'b.sql', data: '' }]),
      says: /several databases/,
    },
    {
      name: 'two sites',
      bytes: zip(['a', 'b'].map((name) => ({ name: `${name}/wp-content/plugins/p/p.php` }))),
      says: /several sites/,
    },
    {
      name: 'a readme that is no text',
      bytes: zip([...GOOD, { name: 'README.md', data: 'a\0b' }]),
      says: /readme is no text/,
    },
  ];
}

export const hostileArchives = (): Hostile[] => [...badNames(), ...badKinds(), ...tooMuch(), ...broken(), ...noSites()];
