import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

/** Strings alone: a connection that a request opens keeps this as long as it lives. */
interface CurrentRequest {
  method: string | undefined;
  host: string | undefined;
  url: string | undefined;
}

const current = new AsyncLocalStorage<CurrentRequest>();

/** Associates `work` and everything that it starts with a request. */
export function trackRequest({ method, headers, url }: IncomingMessage, work: () => void): void {
  current.run({ method, host: headers.host, url }, work);
}

/** The request that the running code works for, without its query: `POST panel.example.com/api/v1/site`. */
export function describeCurrentRequest(): string | null {
  const request = current.getStore();
  if (!request) return null;
  const [path = ''] = (request.url ?? '').split('?', 1);
  return `${request.method} ${request.host ?? ''}${path}`.slice(0, 500);
}
