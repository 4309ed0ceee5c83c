import { hostName } from './route-table.ts';

/** What a request asks for, as sent: nothing here is decoded, so that what is checked is what is passed on. */
export interface Target {
  path: string;
  /** With the question mark, or empty. */
  query: string;
}

/** Splits the request target. Undefined: it is none that a site could have, or it contradicts the Host header. */
export function parseTarget(url: string, host: string): Target | undefined {
  if (url.charCodeAt(0) === 0x2f) return split(url);
  // The absolute form, as sent to proxies; Host must say the same.
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
  if (!absolute || hostName(absolute[1] ?? '') !== hostName(host)) return undefined;
  const rest = absolute[2] ?? '';
  return split(rest.startsWith('/') ? rest : `/${rest}`);
}

function split(url: string): Target | undefined {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  return isSound(path) ? { path, query: mark < 0 ? '' : url.slice(mark) } : undefined;
}

const SUSPICIOUS = /[\\%#]|\/\.\.?(?:\/|$)/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/**
 * Refuses paths that the edge and PHP might read differently: steps upward in any notation, backslashes, control
 * characters, broken escapes.
 */
function isSound(path: string): boolean {
  // Nearly all paths end here.
  if (!SUSPICIOUS.test(path)) return true;
  if (path.includes('#') || BROKEN_ESCAPE.test(path)) return false;
  // Byte by byte: what they mean together is for the site to know, not all links are UTF-8.
  const decoded = path.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return !/[\\\u0000-\u001f\u007f]|\/\.\.?(?:\/|$)/.test(decoded);
}

/** The path with its escapes resolved, or undefined where they are no UTF-8. */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
