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

const NO_BODY: Body = { kind: 'none', value: undefined, contentType: '', raw: Buffer.alloc(0), faults: [] };

export function installBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    done(null, parseBody(raw, request.headers['content-type'] ?? ''));
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

export function parseBody(raw: Buffer, contentType: string): Body {
  if (raw.length === 0) return NO_BODY;
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return { ...parseJson(raw), contentType, raw };
  if (mediaType === 'application/x-www-form-urlencoded') {
    const pairs = new URLSearchParams(raw.toString('utf8'));
    return {
      kind: 'form',
      value: Object.fromEntries(pairs),
      contentType,
      raw,
      faults: findRepeated([...pairs.keys()]),
    };
  }
  const kind = mediaType === 'text/xml' || mediaType === 'application/xml' ? 'xml' : 'bytes';
  return { kind, value: raw, contentType, raw, faults: [] };
}

/** RFC 6749, 3.2: no field may come twice, since whoever checks one could use the other. */
function findRepeated(names: string[]): Fault[] {
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [...repeated].map((name) => ({
    loc: ['body', name],
    msg: 'Value error, must be there only once',
    type: 'value_error',
  }));
}

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
