import { request as send } from 'node:http';
import { lengthOf } from '#core/outbound.ts';
import {
  type Lease,
  type LeaseOptions,
  type RunningSite,
  type Runtime,
  SiteFailure,
  type SiteSpec,
} from './runtime.ts';

export interface SiteRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs: number;
  maxBytes?: number;
}

/** The site answers more than the caller takes. */
export class AnswerTooLarge extends Error {}

export interface SiteAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * The platform's own request to a site, past the edge: starts the site where needed. A process that ends before it has
 * begun with the request is followed by another.
 */
export async function requestSite(
  runtime: Pick<Runtime, 'start'>,
  site: SiteSpec,
  request: SiteRequest,
): Promise<SiteAnswer> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  return ask(runtime, site, request, signal).catch((error: unknown) => {
    if (!(error instanceof SiteFailure) || error.reason !== 'stopped' || signal.aborted) throw error;
    return ask(runtime, site, request, signal);
  });
}

async function ask(
  runtime: Pick<Runtime, 'start'>,
  site: SiteSpec,
  request: SiteRequest,
  signal: AbortSignal,
): Promise<SiteAnswer> {
  const lease = await leaseSite(() => runtime.start(site), signal);
  const { hostname, host, protocol } = new URL(site.url);
  const headers = {
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': hostname,
    ...request.headers,
    ...lengthOf(request.body),
  };
  try {
    return await new Promise((resolve, reject) => {
      const { method, path } = request;
      const fail = async (error: Error) => {
        const isOurs = error instanceof AnswerTooLarge || signal.aborted;
        reject((isOurs ? undefined : await lease.failure()) ?? error);
      };
      const outgoing = send({ createConnection: () => lease.connect(), method, path, headers, signal }, (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > (request.maxBytes ?? MAX_ANSWER_BYTES))
            response.destroy(new AnswerTooLarge('the answer is too large'));
          else chunks.push(chunk);
        });
        response.once('error', fail);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 502, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      outgoing.once('error', fail);
      outgoing.end(request.body);
    });
  } finally {
    lease.release();
  }
}

/** Starts a site and waits for its turn. One that is stopped in between, because it looked unused, is started again. */
export async function leaseSite(
  start: () => Promise<RunningSite>,
  signal: AbortSignal,
  options: LeaseOptions = {},
): Promise<Lease> {
  try {
    return await (await start()).lease(signal, options);
  } catch (error) {
    const wasStopped = error instanceof SiteFailure && error.reason === 'stopped';
    // What a site asks of itself ends with it.
    if (!wasStopped || options.isOwnCall || signal.aborted) throw error;
    return (await start()).lease(signal, options);
  }
}
