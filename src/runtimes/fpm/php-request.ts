import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LAYOUT } from '#runtimes/wordpress/layout.ts';

/** What PHP is told of a request: the variables of CGI. */
export function cgiVariables(
  request: IncomingMessage,
  script: { path: string; pathInfo: string },
  bodyBytes: number,
): Record<string, string> {
  const { method = 'GET', url = '/', headers } = request;
  const at = url.indexOf('?');
  const isSecure = headers['x-forwarded-proto'] === 'https';
  const [host = '', port = isSecure ? '443' : '80'] = (headers.host ?? '').split(':');
  const { path, pathInfo } = script;
  return {
    GATEWAY_INTERFACE: 'CGI/1.1',
    SERVER_PROTOCOL: 'HTTP/1.1',
    SERVER_SOFTWARE: 'siteyard',
    SERVER_NAME: host,
    SERVER_PORT: port,
    REQUEST_METHOD: method,
    REQUEST_SCHEME: isSecure ? 'https' : 'http',
    REQUEST_URI: url,
    QUERY_STRING: at < 0 ? '' : url.slice(at + 1),
    DOCUMENT_ROOT: LAYOUT.core,
    SCRIPT_FILENAME: LAYOUT.core + path,
    SCRIPT_NAME: path,
    PHP_SELF: path + pathInfo,
    REMOTE_ADDR: textOf(headers['x-real-ip']) || '127.0.0.1',
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: String(bodyBytes),
    HTTPS: isSecure ? 'on' : '',
    ...(pathInfo && { PATH_INFO: pathInfo }),
    ...sentHeaders(headers),
  };
}

/** "Proxy" would become HTTP_PROXY, which some programs take for a setting. */
const NOT_PASSED_ON = new Set(['proxy', 'content-type', 'content-length', 'transfer-encoding', 'connection']);

function sentHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // With an underscore it would be another name's variable.
    if (value === undefined || NOT_PASSED_ON.has(name) || name.includes('_')) continue;
    sent[`HTTP_${name.toUpperCase().replaceAll('-', '_')}`] = textOf(value);
  }
  return sent;
}

function textOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
