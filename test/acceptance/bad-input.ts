import { API_PREFIX, type Operation, takesStream } from '#core/http/operation.ts';
import type { Random } from '#testkit/random.ts';
import {
  BAD_BOOLEANS,
  BAD_BY_FORMAT,
  BAD_INTEGERS,
  BLANK,
  BROKEN_BODIES,
  CONTENT_TYPES,
  METHODS,
  NO_TEXT,
  ODD_BODIES,
  ODD_BY_FORMAT,
  STRANGE_HEADERS,
  STRANGE_HOSTS,
  STRANGE_PATHS,
  STRANGE_QUERIES,
  STRANGE_SEGMENTS,
  STRANGE_TEXT,
  WRONG_TYPES,
} from './bad-values.ts';
import { fillPath, type Ingredients } from './requests.ts';

/**
 * Makes wrong requests. A valid request is a draft; each mutation spoils it in one way, derived from the schemas or from
 * the fixed lists of bad-values.ts. Mutations can be put on top of one another.
 */
export interface Draft {
  method: string;
  path: string;
  /** Raw pieces such as `page=1`, sent as they are. */
  query: string[];
  headers: [name: string, value: string][];
  /** The JSON body by field, as raw text, so that a value need not be one that JavaScript could write. */
  fields: [name: string, json: string][] | undefined;
  /** Sent instead of the fields. */
  body: Buffer | undefined;
}

export interface Mutation {
  group: string;
  what: string;
  spoil(draft: Draft): void;
  /** The only right answer, where the request is wrong beyond doubt. */
  expect?: { status: number; loc?: string[] };
  /** Says how long the body is, so another mutation on top could make a request that never ends. */
  framing?: true;
  /** The request names another host, where a site would answer and not the platform. */
  elsewhere?: true;
}

export function draftOf(operation: Operation, ingredients: Ingredients, token: string): Draft {
  const { body } = ingredients;
  const isBytes = Buffer.isBuffer(body);
  const [path = '', query] = fillPath(operation, ingredients).split('?');
  return {
    method: operation.method,
    path: API_PREFIX + path,
    query: query ? query.split('&') : [],
    headers: [
      ['Host', 'localhost'],
      ['Authorization', `Bearer ${token}`],
      ...Object.entries({ ...(body && { 'content-type': 'application/json' }), ...ingredients.headers }),
    ],
    fields: body && !isBytes ? Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]) : undefined,
    body: isBytes ? body : undefined,
  };
}

/** The request as it goes over the wire. */
export function toBytes(draft: Draft): Buffer {
  const body = draft.body ?? (draft.fields && Buffer.from(toJson(draft.fields)));
  const query = draft.query.length > 0 ? `?${draft.query.join('&')}` : '';
  const framed = draft.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const headers = [...draft.headers, ['Connection', 'close']];
  if (body && !framed) headers.push(['Content-Length', String(body.length)]);
  const lines = [`${draft.method} ${draft.path}${query} HTTP/1.1`, ...headers.map((header) => header.join(': '))];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}

const toJson = (fields: [string, string][]) =>
  `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** All ways to spoil a request of this operation, mixed so that the first few already come from every group. */
export function mutationsOf(operation: Operation, random: Random): Mutation[] {
  const groups = Map.groupBy(
    [
      ...fieldMutations(operation),
      ...queryMutations(operation),
      ...pathMutations(operation),
      ...bodyMutations(operation),
      ...headerMutations(),
      ...methodMutations(operation),
    ],
    ({ group }) => group,
  );
  const shuffled = [...groups.values()].map((group) => random.shuffled(group));
  const longest = Math.max(...shuffled.map((group) => group.length));
  return Array.from({ length: longest }, (_, at) => shuffled.flatMap((group) => group[at] ?? [])).flat();
}

/** Two to four at once; what comes of it nobody knows beforehand, but it must be an answer. */
export function combine(mutations: Mutation[], random: Random): Mutation {
  const stackable = mutations.filter(({ framing }) => !framing);
  const chosen = Array.from({ length: 2 + random.below(3) }, () => random.pick(stackable));
  return {
    group: 'combined',
    what: chosen.map(({ what }) => what).join(' + '),
    spoil: (draft) => {
      for (const { spoil } of chosen) spoil(draft);
    },
    ...(chosen.some(({ elsewhere }) => elsewhere) && { elsewhere: true }),
  };
}

// Values that are wrong by a schema

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
}
type ObjectSchema = { properties?: Record<string, Schema>; required?: string[] };

/** A value with whether it is wrong beyond doubt. */
interface Value {
  text: string;
  wrong: boolean;
}
const surely = (texts: readonly string[]): Value[] => texts.map((text) => ({ text, wrong: true }));
const perhaps = (texts: readonly string[], wrong = false): Value[] => texts.map((text) => ({ text, wrong }));
const short = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}... (${text.length})` : text);

/** Values of a body's field, as JSON. */
function badJson(schema: Schema, required: boolean): Value[] {
  const types = [schema.type ?? []].flat();
  const type = types.find((each) => each !== 'null') ?? 'string';
  const texts = type === 'string' ? badTexts(schema) : [];
  return [
    ...surely(WRONG_TYPES[type] ?? []),
    // In an optional field null says that it is not given.
    ...perhaps(['null'], required && !types.includes('null')),
    ...texts.map(({ text, wrong }) => ({ text: JSON.stringify(text), wrong })),
    ...(type === 'array' ? badArrays(schema) : []),
  ];
}

function badTexts({ format = '', enum: allowed, pattern, minLength = 0, maxLength }: Schema): Value[] {
  // Almost any text is a line.
  const isClosed = (format !== '' && format !== 'line') || allowed !== undefined;
  const neverBlank = isClosed || pattern === '\\S';
  return [
    ...surely(NO_TEXT),
    ...perhaps([''], neverBlank || minLength > 0),
    ...perhaps([BLANK], neverBlank),
    ...perhaps(STRANGE_TEXT, isClosed),
    ...surely(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), '\u{1f600}'.repeat(maxLength + 1)]),
    ...perhaps(['x'.repeat(100_000)], isClosed || maxLength !== undefined),
    ...surely(BAD_BY_FORMAT[format] ?? []),
    ...perhaps(ODD_BY_FORMAT[format] ?? []),
    ...(allowed ?? [])
      .filter((word) => word !== null)
      .flatMap((word) => surely([` ${word}`, `${word}s`, String(word).toUpperCase()])),
  ];
}

function badArrays({ items = {}, maxItems = 0 }: Schema): Value[] {
  const one = items.enum ? JSON.stringify(items.enum[0]) : '"a.example.com"';
  const many = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`;
  return [
    ...surely([many(maxItems + 1, one), many(50_000, one), many(50_000, '0'), '['.repeat(50_000) + ']'.repeat(50_000)]),
    ...surely(['[null]', `[${one},[]]`, '["\\ud800"]', '["a\\u0000"]', '[{"__proto__":[]}]']),
    ...perhaps([many(2, one)]),
  ];
}

/** Values of a parameter. Half a surrogate can not be written in a URL. */
function badParameters(schema: Schema, maxLength: number): Value[] {
  if (schema.type === 'integer') {
    const { minimum = -1, maximum = 1e15 } = schema;
    return surely([...BAD_INTEGERS, String(minimum - 1), String(maximum + 1)]);
  }
  if (schema.type === 'boolean') return surely(BAD_BOOLEANS);
  return badTexts(schema).filter(({ text }) => text.isWellFormed() && text.length <= maxLength);
}

const propertiesOf = (schema: unknown): [string, Schema][] =>
  Object.entries((schema as ObjectSchema | undefined)?.properties ?? {});
const isRequired = (schema: unknown, name: string) => (schema as ObjectSchema).required?.includes(name) ?? false;

// Ways to spoil each part of a request

function fieldMutations(operation: Operation): Mutation[] {
  return propertiesOf(operation.body).flatMap(([name, schema]) => {
    const fault = { expect: { status: 422, loc: ['body', name] } };
    const values = badJson(schema, isRequired(operation.body, name)).map(({ text, wrong }) => ({
      group: 'field',
      what: `body.${name} = ${short(text)}`,
      spoil: (draft: Draft) => setField(draft, name, text),
      ...(wrong && fault),
    }));
    const missing = { group: 'field', what: `body.${name} is missing`, spoil: (draft: Draft) => setField(draft, name) };
    return [...values, { ...missing, ...(isRequired(operation.body, name) && fault) }];
  });
}

function setField(draft: Draft, name: string, json?: string): void {
  const others = (draft.fields ?? []).filter(([each]) => each !== name);
  draft.fields = json === undefined ? others : [...others, [name, json]];
  draft.body = undefined;
}

function queryMutations(operation: Operation): Mutation[] {
  const byParameter = propertiesOf(operation.query).flatMap(([name, schema]) => {
    const fault = { expect: { status: 422, loc: ['query', name] } };
    const set = (raw: string | undefined) => ({
      group: 'parameter',
      what: `query.${name}: ${raw === undefined ? 'missing' : short(raw)}`,
      spoil: (draft: Draft) => setQuery(draft, name, raw),
    });
    const shapes = ['', '[]=1', '[a]=1', `[0]=1&${name}[1]=2`, `=1&${name}=x`, '.a=1'];
    return [
      ...badParameters(schema, 20_000).map(({ text, wrong }) => ({
        ...set(`${name}=${encodeURIComponent(text)}`),
        ...(wrong && fault),
      })),
      ...shapes.map((shape) => set(name + shape)),
      { ...set(undefined), ...(isRequired(operation.query, name) && fault) },
    ];
  });
  const anywhere = STRANGE_QUERIES.map((raw) => ({
    group: 'query',
    what: `query ${short(raw)}`,
    spoil: (draft: Draft) => void draft.query.push(raw),
  }));
  return [...byParameter, ...anywhere];
}

function setQuery(draft: Draft, name: string, raw: string | undefined): void {
  draft.query = draft.query.filter((piece) => piece.split('=')[0] !== name);
  if (raw !== undefined) draft.query.push(raw);
}

function pathMutations(operation: Operation): Mutation[] {
  const ids = propertiesOf(operation.params).flatMap(([name, schema]) => {
    const encoded = badParameters(schema, 300).filter(({ text }) => text !== '');
    const values = encoded.map(({ text, wrong }) => ({ text: encodeURIComponent(text), wrong }));
    return [...values, ...perhaps(STRANGE_SEGMENTS)].map(({ text, wrong }) => ({
      group: 'id',
      what: `path.${name} = ${short(text)}`,
      spoil: (draft: Draft) => setSegment(draft, operation, name, text),
      ...(wrong && { expect: { status: 422, loc: ['path', name] } }),
    }));
  });
  const anywhere = STRANGE_PATHS.map(([what, change]) => ({
    group: 'path',
    what: `path ${what}`,
    spoil: (draft: Draft) => {
      draft.path = change(draft.path);
    },
  }));
  return [...ids, ...anywhere];
}

function setSegment(draft: Draft, operation: Operation, name: string, text: string): void {
  const at = (API_PREFIX + operation.path).split('/').indexOf(`{${name}}`);
  draft.path = draft.path.split('/').with(at, text).join('/');
}

function bodyMutations(operation: Operation): Mutation[] {
  // Where no body is taken it is ignored, whatever it is; sign-in takes forms too.
  const fault = operation.body && !operation.accepts ? { expect: { status: 422, loc: ['body'] } } : {};
  // What is read as it comes has a limit that no test would send more than.
  const tooLarge = operation.method === 'GET' || takesStream(operation) ? {} : { expect: { status: 413 } };
  const large = Buffer.alloc((operation.bodyLimitBytes ?? 1024 * 1024) + 1, 'x');
  const set = (what: string, change: (body: Buffer) => Buffer, ...headers: Draft['headers']) => ({
    group: 'body',
    what: `body ${what}`,
    spoil: (draft: Draft) => {
      draft.body = change(currentBody(draft));
      if (!draft.headers.some(([name]) => name.toLowerCase() === 'content-type'))
        setHeader(draft, 'Content-Type', 'application/json');
      for (const [name, value] of headers) setHeader(draft, name, value);
    },
  });
  const inChunks = (what: string, body: Buffer) => ({
    ...set(`${what}, in chunks`, () => chunked(body), ['Transfer-Encoding', 'chunked']),
    framing: true as const,
  });
  return [
    ...BROKEN_BODIES.map(([what, change]) => ({ ...set(what, change), ...fault })),
    ...ODD_BODIES.map(([what, change]) => set(what, change)),
    ...CONTENT_TYPES.map((type) => ({
      ...set(`as ${short(type)}`, (body) => body, ['Content-Type', type]),
      group: 'content type',
      ...fault,
    })),
    { ...set('over the limit', () => large), ...tooLarge },
    { ...inChunks('over the limit', large), ...tooLarge },
    inChunks('of no length', Buffer.alloc(0)),
    set('said to be compressed', (body) => body, ['Content-Encoding', 'gzip']),
    {
      group: 'content type',
      what: 'no content type',
      spoil: (draft) => {
        draft.body = currentBody(draft);
        removeHeader(draft, 'Content-Type');
      },
      ...fault,
    },
  ];
}

const currentBody = (draft: Draft) => draft.body ?? Buffer.from(draft.fields ? toJson(draft.fields) : '{}');

function chunked(body: Buffer): Buffer {
  const chunk = (part: Buffer) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')];
  const parts = body.length > 0 ? [...chunk(body.subarray(0, 1000)), ...chunk(body.subarray(1000))] : [];
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function headerMutations(): Mutation[] {
  const change = (what: string, spoil: Mutation['spoil']) => ({ group: 'header', what, spoil });
  const single = STRANGE_HEADERS.flatMap(([name, values]) =>
    values.map((value) => ({
      ...change(`${name}: ${short(value)}`, (draft) => {
        // A cookie counts only where nobody says who they are besides.
        if (name === 'Cookie') removeHeader(draft, 'Authorization');
        if (name === 'Content-Length') draft.body = draft.fields = undefined;
        setHeader(draft, name, value);
      }),
      ...(name === 'Content-Length' && { framing: true as const }),
    })),
  );
  const hosts = STRANGE_HOSTS.map((host) => ({
    ...change(`Host: ${short(host)}`, (draft) => setHeader(draft, 'Host', host)),
    elsewhere: true as const,
  }));
  const add = (...headers: Draft['headers']) => {
    return (draft: Draft) => void draft.headers.push(...headers);
  };
  return [
    ...single,
    ...hosts,
    change('every header twice', (draft) => {
      draft.headers = draft.headers.flatMap((header) => (header[0] === 'Host' ? [header] : [header, header]));
    }),
    change('two keys', add(['Idempotency-Key', 'a'], ['Idempotency-Key', 'b'])),
    change('900 headers', add(...Array.from({ length: 900 }, (_, at): [string, string] => [`X-${at}`, 'y']))),
  ];
}

function setHeader(draft: Draft, name: string, value: string): void {
  removeHeader(draft, name);
  draft.headers.push([name, value]);
}

function removeHeader(draft: Draft, name: string): void {
  draft.headers = draft.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
}

function methodMutations(operation: Operation): Mutation[] {
  return METHODS.filter((method) => method !== operation.method).map((method) => ({
    group: 'method',
    what: `method ${method}`,
    spoil: (draft) => {
      draft.method = method;
    },
  }));
}
