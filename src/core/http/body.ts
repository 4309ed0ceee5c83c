import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Fault } from '#core/errors.ts';
import type { Upload } from './upload.ts';

/** A body as it arrived. What is wrong with it is a fault among others, reported together with those of the query. */
export interface Body {
  kind: 'json' | 'form' | 'xml' | 'bytes' | 'stream' | 'none';
  value: unknown;
  contentType: string;
  /** As received, so that a repeated request can be told from a different one. Of what is not received yet, its length. */
  raw: Buffer;
  faults: Fault[];
}

/** No operation has 20 fields. */
const MAX_FORM_FIELDS = 200;
const NO_BODY: Body = { kind: 'none', value: undefined, contentType: '', raw: Buffer.alloc(0), faults: [] };

export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    const { operation } = request.routeOptions.config;
    done(null, readBody(raw, request.headers['content-type'] ?? '', operation));
  });
}

/** For the operations whose bodies are larger than memory: they read them as they come. */
export function installStreamParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const { 'content-length': length, 'content-type': contentType = '' } = request.headers;
    done(null, streamedBody(payload, contentType, length === undefined ? undefined : Number(length)));
  });
}

export function streamedBody(stream: Readable, contentType: string, sizeBytes: number | undefined): Body {
  const value: Upload = { stream, sizeBytes };
  return { kind: 'stream', value, contentType, raw: Buffer.from(String(sizeBytes)), faults: [] };
}

export function bodyOf(request: { body: unknown }): Body {
  return (request.body as Body | undefined) ?? NO_BODY;
}

/** Parses a body unless its operation accepts raw bytes, which are read only after authentication. */
export function readBody(raw: Buffer, contentType: string, operation?: { accepts?: readonly string[] }): Body {
  if (operation?.accepts?.includes('bytes')) return { kind: 'bytes', value: raw, contentType, raw, faults: [] };
  return parseBody(raw, contentType);
}

export function parseBody(raw: Buffer, contentType: string): Body {
  if (raw.length === 0) return NO_BODY;
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return { ...parseJson(raw), contentType, raw };
  if (mediaType === 'application/x-www-form-urlencoded') return { ...parseForm(raw), contentType, raw };
  const kind = mediaType === 'text/xml' || mediaType === 'application/xml' ? 'xml' : 'bytes';
  return { kind, value: raw, contentType, raw, faults: [] };
}

function parseForm(raw: Buffer): Pick<Body, 'kind' | 'value' | 'faults'> {
  if (hasTooManyFields(raw)) {
    const msg = `Value error, the form has more than ${MAX_FORM_FIELDS} fields; send only the fields of this operation`;
    return { kind: 'form', value: undefined, faults: [{ loc: ['body'], msg, type: 'value_error' }] };
  }
  const fields = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(raw.toString('utf8'))) {
    if (fields.has(name)) repeated.add(name);
    fields.set(name, value);
  }
  return { kind: 'form', value: Object.fromEntries(fields), faults: [...repeated].map(repeatedField) };
}

/** Counts separators in the bytes as received, so that a body of 100,000 fields is refused before one is decoded. */
function hasTooManyFields(raw: Buffer): boolean {
  let count = 1;
  for (let at = raw.indexOf('&'); at !== -1 && count <= MAX_FORM_FIELDS; at = raw.indexOf('&', at + 1)) count += 1;
  return count > MAX_FORM_FIELDS;
}

/** RFC 6749, 3.2: a field is sent at most once, since one component could check the first and another use the last. */
const repeatedField = (name: string): Fault => ({
  loc: ['body', name],
  msg: 'Value error, must be there only once',
  type: 'value_error',
});

function parseJson(raw: Buffer): Pick<Body, 'kind' | 'value' | 'faults'> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    return {
      kind: 'json',
      value: undefined,
      faults: [{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }],
    };
  }
  return { kind: 'json', value, faults: [] };
}
