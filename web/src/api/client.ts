import { ApiError, createClient } from '#sdk';
import { visit } from '../visit.ts';
import { takeFirstAnswer } from './first-answers.ts';

const FOREIGN_COOKIE = 'auth.duplicate_cookie';

let signedOut = (_isForeignCookie: boolean) => {};

/** Runs whenever a call finds that there is no session: it ended here, in another tab, or by itself; or it can not be told which is ours. */
export function whenSignedOut(handler: (isForeignCookie: boolean) => void): void {
  signedOut = handler;
}

/** The dashboard is served by the API itself, so the session cookie goes along and no address is needed. */
export const api = createClient({
  baseUrl: '',
  fetch: async (...request) => noticing(takeFirstAnswer(...request) ?? (await visit().fetch(...request))),
});

/** The same for what takes a while to send: fetch does not tell how much of it has gone. */
export const apiWithProgress = (onProgress: (percentage: number) => void) =>
  createClient({
    baseUrl: '',
    fetch: async (url, init = {}) => noticing(await sendWithProgress(String(url), init, onProgress)),
  });

function noticing(response: Response): Response {
  if (response.status === 401) void tellSignedOut(response.clone());
  return response;
}

async function tellSignedOut(response: Response): Promise<void> {
  const body = await response.json().catch(() => undefined);
  signedOut(body?.code === FOREIGN_COOKIE);
}

function sendWithProgress(url: string, init: RequestInit, onProgress: (percentage: number) => void): Promise<Response> {
  const request = new XMLHttpRequest();
  request.open(init.method ?? 'GET', url);
  new Headers(init.headers).forEach((value, name) => {
    request.setRequestHeader(name, value);
  });
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? (100 * loaded) / total : 0);
  return new Promise((resolve, reject) => {
    request.onload = () => {
      const headers = ['content-type', 'x-request-id'].map((name) => [name, request.getResponseHeader(name) ?? '']);
      resolve(new Response(request.responseText, { status: request.status, headers: Object.fromEntries(headers) }));
    };
    request.onerror = () => reject(new TypeError('the request did not get through'));
    request.send(init.body as Blob);
  });
}

/** What the address names is not there, or could not be: a malformed id in a path is a 422. */
export function isMissing(error: unknown): boolean {
  return isStatus(error, 404) || (error instanceof ApiError && error.faults.some(({ loc }) => loc[0] === 'path'));
}

export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Signing in anew would not help: somebody else's cookie stands beside ours, and only the visitor can delete it. */
export function isForeignCookie(error: unknown): boolean {
  return error instanceof ApiError && error.code === FOREIGN_COOKIE;
}
