// SPDX-License-Identifier: GPL-2.0-or-later
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PHP } from '@php-wasm/universal';
import { findFailure, isStatus, NOT_PHPS } from '../../php/answer-rules.ts';
import { findScript } from '../../php/find-script.ts';
import { passOnErrors } from './error-log.ts';
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
  const { path, pathInfo } = findScript(request.url ?? '/', (path) => php.isFile(PATHS.core + path));
  const script = PATHS.core + path;
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
      SCRIPT_NAME: path,
      PHP_SELF: path + pathInfo,
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
  const failure = bytes.length === 0 ? findFailure(status, exitCode === FATAL_EXIT_CODE, complaints) : undefined;
  if (failure) response.setHeader('x-siteyard-failure', failure);
  response.statusCode = failure || !isStatus(status) ? 500 : status;
  response.setHeader('content-length', bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return { ranOutOfMemory: complaints.ranOutOfMemory };
}

const FATAL_EXIT_CODE = 255;

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

function readHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    // "Proxy" would become HTTP_PROXY, which some programs take for a setting.
    if (value !== undefined && name !== 'proxy') headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
