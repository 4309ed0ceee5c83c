// SPDX-License-Identifier: GPL-2.0-or-later
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PHP } from '@php-wasm/universal';
import { type Complaints, passOnErrors } from './error-log.ts';
import { PATHS } from './settings.ts';

type Method = 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'PUT' | 'DELETE';

/** Lets PHP answer one request. `ended` is called when PHP is done and before the reader learns that the answer ends. */
export async function answer(
  php: PHP,
  configName: string,
  request: IncomingMessage,
  body: Uint8Array,
  response: ServerResponse,
  ended: () => Promise<{ purge: boolean }>,
  isLogged: boolean,
): Promise<{ ranOutOfMemory: boolean }> {
  const { script, pathInfo } = findScript(php, request.url ?? '/');
  const sent = readHeaders(request);
  const isSecure = sent['x-forwarded-proto'] === 'https';
  const result = await php.runStream({
    scriptPath: script,
    relativeUri: request.url ?? '/',
    protocol: isSecure ? 'https' : 'http',
    method: (request.method ?? 'GET') as Method,
    headers: sent,
    body,
    $_SERVER: {
      SITEYARD_CONFIG: configName,
      REMOTE_ADDR: sent['x-real-ip'] ?? '127.0.0.1',
      DOCUMENT_ROOT: PATHS.core,
      SCRIPT_FILENAME: script,
      SCRIPT_NAME: script.slice(PATHS.core.length),
      PHP_SELF: script.slice(PATHS.core.length) + pathInfo,
      HTTPS: isSecure ? 'on' : '',
      SERVER_SOFTWARE: 'siteyard',
      ...(pathInfo && { PATH_INFO: pathInfo }),
    },
  });
  const errors = passOnErrors(result.stderr, isLogged);
  // An answer is whole or it is an error: PHP may still fail after its first words, and then its exit code says so.
  const [bytes, exitCode] = await Promise.all([result.stdoutBytes, result.exitCode]);
  const { purge } = await ended();
  const [status, complaints] = await Promise.all([result.httpStatusCode, errors]);
  const headers = Object.entries(await result.headers);
  // Whatever a site does, PHP says at least of what kind its answer is. Seen when a file became a link while it was opened.
  if (headers.length === 0) throw new Error('PHP ended without an answer');
  for (const [name, values] of headers) setHeader(response, name, values);
  if (purge) response.setHeader('x-siteyard-purge', 'all');
  const failure = bytes.length === 0 ? findFailure(status, exitCode, complaints) : undefined;
  if (failure) response.setHeader('x-siteyard-failure', failure);
  const isStatus = status >= 200 && status <= 599;
  response.statusCode = failure || !isStatus ? 500 : status;
  response.setHeader('content-length', bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return { ranOutOfMemory: complaints.ranOutOfMemory };
}

const FATAL_EXIT_CODE = 255;

/**
 * Why PHP said nothing at all, where that is no answer. Whoever sent us the request tells the visitor. What is complete without a body is an
 * answer, also after a fatal error: WordPress redirects to itself when it has paused a broken plugin.
 */
function findFailure(status: number, exitCode: number, complaints: Complaints): 'memory' | 'crash' | undefined {
  if (status === 204 || (status >= 300 && status < 400)) return undefined;
  if (complaints.ranOutOfMemory) return 'memory';
  return exitCode === FATAL_EXIT_CODE || complaints.ranOutOfFiles ? 'crash' : undefined;
}

const NOT_PHPS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'x-powered-by']);

/** Passes on what HTTP can carry: bytes beyond ASCII as they are, and no name that is none. */
function setHeader(response: ServerResponse, name: string, values: string[]): void {
  if (NOT_PHPS.has(name)) return;
  try {
    response.setHeader(
      name,
      values.map((value) => Buffer.from(value).toString('latin1')),
    );
  } catch {
    // PHP was told to send something that is no header.
  }
}

/** The file to run: the one that is named, the index of a folder, or WordPress' front door. */
function findScript(php: PHP, url: string): { script: string; pathInfo: string } {
  const path = decode(url.split('?', 1)[0] ?? '/');
  const [, named = '', rest = ''] = /^(.*?\.php)(\/.*)?$/.exec(path) ?? [];
  const candidates = named ? [named] : path.endsWith('/') ? [`${path}index.php`] : [`${path}/index.php`];
  for (const candidate of candidates) {
    const script = PATHS.core + candidate;
    if (isInside(candidate) && !isInstaller(candidate) && php.isFile(script))
      return { script, pathInfo: named ? rest : '' };
  }
  return { script: `${PATHS.core}/index.php`, pathInfo: '' };
}

function isInside(path: string): boolean {
  return !path.includes('\0') && !path.split('/').some((part) => part.startsWith('.'));
}

/** Nobody installs a WordPress over the web here, so these are not there, whatever the database looks like. */
function isInstaller(path: string): boolean {
  return /^\/+wp-admin\/+(install|setup-config)\.php$/.test(path);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '/';
  }
}

function readHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    // "Proxy" would become HTTP_PROXY, which some programs take for a setting.
    if (value !== undefined && name !== 'proxy') headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
