import type { IncomingHttpHeaders } from 'node:http';

/** A request that asks for something and brings nothing, as nearly all of visitors do. */
export interface SimpleRequest {
  /** The path with its query, as sent. */
  url: string;
  /** Lower-case, none of them twice. */
  headers: IncomingHttpHeaders & { host: string };
  /** Whoever asks wants the connection closed behind the answer. */
  isLast: boolean;
}

/**
 * A GET of a path, and lines that nobody could read in two ways: visible letters, a colon right behind the name, both ends of a line. It is a small
 * part of what Node's parser takes, and everything else is left to that.
 */
const WHOLE = /^GET \/[!-~]* HTTP\/1\.1\r\n(?:[A-Za-z0-9-]+:[ -~]*\r\n)+\r\n$/;
const URL_AT = 'GET '.length;
const VERSION = ' HTTP/1.1\r\n';
const MAX_BYTES = 8 * 1024;

/** They say where a request ends, or what becomes of its connection. */
const DECIDING = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What came over a connection in one piece, where that is one simple request and nothing more. */
export function readSimpleRequest(bytes: Buffer): SimpleRequest | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  const text = bytes.toString('latin1');
  if (!WHOLE.test(text)) return undefined;
  const urlEnd = text.indexOf(' ', URL_AT);
  const headers: IncomingHttpHeaders = {};
  let isLast = false;
  for (let at = urlEnd + VERSION.length; at < text.length - 2; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    const name = text.slice(at, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    // Two lines of one name can mean many things.
    if (headers[name] !== undefined || Object.hasOwn(Object.prototype, name)) return undefined;
    if (DECIDING.has(name)) {
      const word = name === 'connection' ? value.toLowerCase() : undefined;
      if (word !== 'keep-alive' && word !== 'close') return undefined;
      isLast = word === 'close';
    }
    headers[name] = value;
    at = end + 2;
  }
  const { host } = headers;
  return host === undefined
    ? undefined
    : { url: text.slice(URL_AT, urlEnd), headers: headers as typeof headers & { host: string }, isLast };
}
