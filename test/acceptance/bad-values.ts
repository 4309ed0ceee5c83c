/** What clients, scanners and broken proxies send: the fixed part of the wrong requests. */

const words = (text: string): string[] => text.trim().split(/[ \n]+/);
const nested = (open: string, close: string, depth: number, inner = '') =>
  open.repeat(depth) + inner + close.repeat(depth);

export const BLANK = ' \t\n ';
/** Postgres keeps no NUL, and half a surrogate pair is no character. */
export const NO_TEXT = ['\0', 'a\0b', '\ud800', 'x\udc00y', '\udfff\ud800'];
export const STRANGE_TEXT = [
  ...words('\u202egnp.exe\u202c \u0634\u0643\u0631\u0627 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u{1f3f4}\u{e0067}'),
  ...words('\u{feff}bom \uffff\ufffe \u0130\u1e9e\ufb03 \u0001\u001f\u007f\u0085 ../../../etc/passwd ..\\..\\win.ini'),
  ...words(
    '%s%n%x%d \\\\\\ null undefined __proto__ <script>alert(1)</script> {{7*7}}<%=7*7%> ------------------------------------',
  ),
  `Z${'\u0335\u0321\u0347'.repeat(60)}`,
  "'; drop table users; --",
  '" or 1=1 --',
  'a\r\nSet-Cookie: session=x',
];

/** Wrong beyond doubt, by the format of the schema. */
export const BAD_BY_FORMAT: Record<string, string[]> = {
  uuid: [
    ...words(
      'x {0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a11} 0b9c4f5e1c1f4b7e9d0a2f6f0a7a5a11 0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a1',
    ),
    ...words(
      '0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a111 0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a1g urn:uuid:0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a11',
    ),
    '0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a11\n',
    ' 0b9c4f5e-1c1f-4b7e-9d0a-2f6f0a7a5a11',
  ],
  'date-time': [
    ...words(
      '2026-11-15 2026-11-15T01:34:00 2026-11-15T25:00:00Z 2026-11-15T01:60:00Z 2026-12-31T23:59:60Z 2026-13-01T00:00:00Z',
    ),
    ...words(
      '2026-00-10T00:00:00Z 2026-11-32T00:00:00Z 2026-02-30T00:00:00Z 2027-02-29T00:00:00Z 99999-01-01T00:00:00Z',
    ),
    ...words(
      '+010000-01-01T00:00:00Z -000001-01-01T00:00:00Z 1700000000 yesterday 2026-11-15T01:34:00Zjunk 2026-W46-7T00:00:00Z',
    ),
    ...words(
      '2026-11-15T01:34:00+99:99 2026-11-15T01:34:00.Z 0000-01-01T00:00:00Z 0001-01-01T00:00:00+14:00 9999-12-31T23:59:59-23:59',
    ),
    'Sun, 15 Nov 2026 01:34:00 GMT',
  ],
  email: [...words('x @ a@ @b a@b@c a@-b.c a@b..c a"b@c.d a@[::1] a@b_c.d'), 'a b@c.d', 'a@b c', 'a@b.c\nBcc: d@e.f'],
  line: ['   ', '\t', 'a\nb', 'a\r\nBcc: d@e.f', 'a\u2028b', '\x1b[2Ja', 'a\u0085', '\u202egnp.exe', 'a\u2066b'],
  timezone: words('Mars/Olympus +25:00 +01:00 Europe/../Berlin UTC0; x'),
  ip: words('999.1.1.1 1.2.3 1.2.3.4.5 ::: g::1 ::1%lo 1.2.3.4/24 01.2.3.4x localhost'),
};

/** Strange, and possibly right. */
export const ODD_BY_FORMAT: Record<string, string[]> = {
  uuid: words(
    '0B9C4F5E-1C1F-4B7E-9D0A-2F6F0A7A5A11 00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff',
  ),
  'date-time': [
    ...words('0001-01-01T00:00:00Z 9999-12-31T23:59:59.999999999Z 2026-11-15T24:00:00Z'),
    '2026-11-15 01:34+0100',
  ],
  email: [
    ...words("\u0130@example.com \u{1f600}@example.com =?utf-8?q?a?=@b.c -@b '@b.c"),
    `${'a'.repeat(64)}@${'b'.repeat(63)}.c`,
  ],
  timezone: words('utc Etc/GMT+12 GMT'),
  ip: words('::ffff:1.2.3.4 0.0.0.0 2001:DB8::1'),
};

export const WRONG_TYPES: Record<string, string[]> = {
  string: words('0 -1 1.5 1e400 true [] ["a"] {} {"$ne":""} {"toString":1}'),
  boolean: words('0 1 "true" "yes" "" [] {} [true]'),
  array: words('"a" {} 0 true {"length":2,"0":"read"}'),
  integer: words('"1" 1.5 true [] {} 1e400'),
};
export const BAD_INTEGERS = [
  '',
  ' 1',
  ...words('abc 1.5 1e3 0x10 1_000 99999999999999999999 -1 NaN Infinity null 1,2 \uff11 1;2'),
];
export const BAD_BOOLEANS = ['', ...words('2 maybe null TRUEE []')];

export const STRANGE_QUERIES = [
  ...words(
    '? ??a &&& = == =x a a=% a=%Z a=%ZZ a=%00 %00=1 a=%C0%AF a=%ED%A0%80 a=%F5%80%80%80 a=%u0041 %=1 __proto__=1 __proto__[a]=1',
  ),
  ...words(
    'constructor=1 constructor[prototype][a]=1 toString=1 hasOwnProperty=1 a[b][c][d]=1 page=1;size=2 page=1&page=2&page=3 page=%31',
  ),
  ...words(
    'p%61ge=abc PAGE=abc #fragment a=b#c?d a=\\..\\.. a=/../.. a=\xff\xfe \xe2\x82=1 a=%0d%0aSet-Cookie:%20x=y a={"b":1} token=x',
  ),
  ...words('team_id=x fields=* _method=DELETE callback=alert(1)'),
  `a=${'x'.repeat(12_000)}`,
  Array.from({ length: 3000 }, (_, at) => `k${at}`).join('&'),
  Array(3000).fill('page=1').join('&'),
  `a${'[b]'.repeat(2000)}=1`,
];

export const STRANGE_SEGMENTS = [
  ...words('% %Z %ZZ %C0%AE %ED%A0%80 %2e%2e %2F ..%2f..%2f . .. * {id} :id \\ \xff ;a=b'),
  '',
  ...[511, 513, 9000].map((length) => 'x'.repeat(length)),
];

export const STRANGE_PATHS: [what: string, change: (path: string) => string][] = [
  ...words(
    '/ // %00 %00.json % %zz %e2%82 %c0%af %2f \xff\xfe \\ ;jsessionid=1 .json /x/y/z @evil.example |"\'<> /%2e%2e/%2e%2e/',
  ).map((tail): [string, (path: string) => string] => [`+ ${tail}`, (path) => path + tail]),
  ...words('/v1// /v1/./ /v1/../v1/ /v2/ /%761/').map((middle): [string, (path: string) => string] => [
    `with ${middle}`,
    (path) => path.replace('/v1/', middle),
  ]),
  ...words('/ http://localhost http://evil.example http://[::: http://a:b:c https://user:pass@localhost').map(
    (head): [string, (path: string) => string] => [`${head} +`, (path) => head + path],
  ),
  ['that goes up far', (path) => `${path}/../../../../../../etc/passwd`],
  ['in capitals', (path) => path.toUpperCase()],
  ['with a long tail', (path) => `${path}/${'x'.repeat(10_000)}`],
  ['with many segments', (path) => path + '/a'.repeat(3000)],
  ['cut short', (path) => path.slice(0, -1)],
];

/** None of these is a JSON object. */
export const BROKEN_BODIES: [what: string, change: (body: Buffer) => Buffer][] = [
  ...words(
    '{ } [ [] [{}] null true 0 "x" {"a"} {"a":} {"a":1,} {\'a\':1} {a:1} {"a":NaN} {"a":01} {"a":+1} {"a":0x1} {"a":undefined}',
  ),
  ...words('{"a":1}{"b":2} //a{} {"a":"\\x41"} {"a":"\\u12"} {"a":"\t"} \0 <xml/> a=1&b=2'),
].map((text): [string, () => Buffer] => [JSON.stringify(text), () => Buffer.from(text)]);
BROKEN_BODIES.push(
  ['cut off', (body) => body.subarray(0, -1)],
  ['cut in the middle', (body) => Buffer.concat([Buffer.from('{"x":"'), body.subarray(1, -2)])],
  ['in UTF-16', (body) => Buffer.from(body.toString(), 'utf16le')],
  ['with bytes that are no UTF-8', () => Buffer.from('{"a":"\xff\xfe"}', 'latin1')],
  ['with an overlong character', () => Buffer.from('{"a":"\xc0\x80"}', 'latin1')],
  ['with a surrogate in bytes', () => Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
  ['of arrays, 50,000 deep', () => Buffer.from(nested('[', ']', 50_000))],
  ['of arrays that never close', () => Buffer.from('['.repeat(100_000))],
  ['of objects that never close', () => Buffer.from('{"a":'.repeat(20_000))],
);

const adding = (what: string, members: string): [string, (body: Buffer) => Buffer] => [
  `with ${what}`,
  (body) => {
    const inner = body.toString().trim().slice(1, -1);
    return Buffer.from(`{${inner}${inner ? ',' : ''}${members}}`);
  },
];

/** Strange, and possibly right: unknown members are ignored. */
export const ODD_BODIES: [what: string, change: (body: Buffer) => Buffer][] = [
  ['empty', () => Buffer.alloc(0)],
  ['blank', () => Buffer.from(' ')],
  ['{}', () => Buffer.from('{}')],
  ['with a byte order mark', (body) => Buffer.concat([Buffer.from('\u{feff}'), body])],
  ['with every key twice', (body) => Buffer.from(body.toString().replace(/^\{(.+)\}$/s, '{$1,$1}'))],
  adding('__proto__', '"__proto__":{"is_superuser":true,"team_id":1}'),
  adding('constructor', '"constructor":{"prototype":{"is_superuser":true}}'),
  adding('names of methods', '"toString":1,"hasOwnProperty":2,"valueOf":null,"then":"x"'),
  adding('columns of the row', '"id":"x","user_id":1,"created_at":0,"is_superuser":true,"level":30'),
  adding('an unknown object', '"nobody_knows_this":{"a":[1]}'),
  adding('an unknown field, 50,000 deep', `"deep":${nested('[', ']', 50_000)}`),
  adding('unknown objects, 50,000 deep', `"deep":${nested('{"a":', '}', 50_000, '1')}`),
  adding('40,000 unknown fields', Array.from({ length: 40_000 }, (_, at) => `"k${at}":${at}`).join(',')),
  adding('names that are no text', '"":1,"\\u0000":2,"\\ud800":3'),
];

export const CONTENT_TYPES = [
  ...words(
    'text/plain text/html application/xml application/x-www-form-urlencoded multipart/form-data application/octet-stream application',
  ),
  ...words(
    'application/ /json / ; ;;; */* json application/json/x application/jsonp text/json application/javascript \xff/\xfe __proto__ null',
  ),
  'multipart/form-data; boundary=x',
  'application/json, text/html',
  'a'.repeat(5000),
];

export const STRANGE_HEADERS: [name: string, values: string[]][] = [
  ['Authorization', ['', 'Bearer', 'Bearer ', 'Bearer x', 'bearer null', `Bearer ${'x'.repeat(15_000)}`, 'Basic YTpi']],
  ['Authorization', ['Bearer a b', 'Bearer \xff\xfe', 'Bearer ../../x', 'Digest username="x"', 'Token', 'Bearer sy_']],
  [
    'Cookie',
    ['', ...words('session session= session=x session=% session=%E0%A4%A session="quoted =;=;= session=\xff')],
  ],
  [
    'Cookie',
    ['__proto__=x; session=y', 'session=a; session=b', `a=${'x'.repeat(9000)}`, Array(2000).fill('a=b').join('; ')],
  ],
  [
    'Idempotency-Key',
    ['', 'with blanks', ...words('\xff k\xe4 __proto__ 0 {}'), ...[255, 256, 9000].map((n) => 'x'.repeat(n))],
  ],
  [
    'Prefer',
    [
      '',
      ...words('wait wait= wait=-1 wait=0 wait=1.5 wait=abc wait=99999 return=minimal ;;;,,, \xff'),
      'wait=1, wait=0',
    ],
  ],
  [
    'Last-Event-ID',
    ['', ...words('0 -1 x 0-0 1-1 9999999999999999999-1 99999999999999999999-1 1-999999999999999 1--1 1-1e5 \xff')],
  ],
  ['Last-Event-ID', ['1-1; drop', 'x'.repeat(5000), '18446744073709551615-0']],
  ['Accept', ['', ...words('text/html application/xml;q=1 */*;q=abc \xff'), 'x'.repeat(3000)]],
  ['Accept-Encoding', ['', ...words('gzip;q=x identity;q=0 *;q=0 br,zstd \xff')]],
  ['Accept-Version', ['', ...words('1 99.x \xff')]],
  ['If-None-Match', words('* "x" \xff ,,,')],
  ['Range', words('bytes=0- bytes=99999999999- x bytes=-1')],
  ['Origin', ['', ...words('null x https://evil.example http://[ \xff')]],
  ['X-Forwarded-For', ['', ...words('x ::1 1.2.3.4,\xff'), Array(500).fill('1.1.1.1').join(',')]],
  ['X-Forwarded-Host', words('evil.example \xff')],
  ['X-Forwarded-Proto', words('javascript https,http')],
  ['Forwarded', words('for=x;host=evil.example ;;;')],
  ['X-Request-Id', ['', 'x\ty', 'x'.repeat(5000), '\xff']],
  ['X-HTTP-Method-Override', words('DELETE BREW')],
  ['X-Original-URL', ['/f/api/v1/operator/team']],
  ['Content-Length', ['0']],
  ['Upgrade', words('websocket h2c x')],
  ['TE', words('trailers x')],
  ['Trailer', ['x']],
  ['Expect', ['x']],
  ['User-Agent', ['', '() { :; }; echo', '\xff'.repeat(500)]],
  ['__proto__', ['x']],
  ['Constructor', ['x']],
  ['X-Long', ['x'.repeat(20_000)]],
];

/** Any other host is a site: these get its page, or the platform's answer where the name is ours in another spelling. */
export const STRANGE_HOSTS = [
  ...words(
    'evil.example a.localhost localhost.evil.example LOCALHOST localhost. localhost:0 localhost:99999 127.0.0.1 [::1] localhost:x',
  ),
  ...words('../.. \xff ,'),
  'a b',
  'x'.repeat(300),
];

export const METHODS = words(
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND LOCK SEARCH QUERY PURGE MKCOL REPORT LINK',
);
