import { ApiError } from './api-error.ts';
import { type CommonError, type Operations, ROUTES } from './operations.generated.ts';

export { ApiError, type Fault } from './api-error.ts';
export type * from './operations.generated.ts';

export type OperationId = keyof Operations;
/** What an operation takes: `params`, `query` and `body`, as far as it has them. */
export type InputOf<Id extends OperationId> = Operations[Id]['input'];
export type OutputOf<Id extends OperationId> = Operations[Id]['output'];
/** The codes that an operation can fail with. */
export type ErrorCodeOf<Id extends OperationId> = Operations[Id]['errors'] | CommonError;

export interface Route {
  method: string;
  path: string;
  /** The kind of its body, where it takes one. */
  body?: string;
  /** A POST that has its effect each time it is sent, whatever its idempotency key. */
  once?: true;
}

/** Sends a request once or more often, and gives the last answer. */
export type Transport = (
  url: string,
  init: RequestInit & { headers: Record<string, string> },
  route: Route,
) => Promise<Response>;

export interface ClientOptions {
  /** The platform's address; empty in a page that the platform itself serves. */
  baseUrl: string;
  /** A bearer token; without one the browser's session cookie counts. */
  token?: string;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  transport?: Transport;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes a POST safe to repeat. */
  idempotencyKey?: string;
  /** How many seconds to wait for work that goes on in the background. */
  wait?: number;
  /** Sees what else the answer says: `operation-id` names the event of work that goes on. */
  onAnswer?: (answer: { status: number; headers: Headers }) => void;
}

/** A method per operation: `client.getTeam({ params: { team_id } })`. */
export type Client = {
  [Id in OperationId]: (
    ...args: Record<never, never> extends InputOf<Id>
      ? [input?: InputOf<Id> & CallOptions]
      : [input: InputOf<Id> & CallOptions]
  ) => Promise<OutputOf<Id>>;
} & {
  /** Any request, with the answer as it comes. What is no success is an ApiError all the same. */
  request(route: Route, input?: RawInput): Promise<Response>;
};

export interface RawInput extends CallOptions {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

export function createClient(options: ClientOptions): Client {
  const request = (route: Route, input: RawInput = {}) => send(options, route, input);
  const methods = Object.entries(ROUTES).map(([id, route]) => [
    id,
    async (input?: RawInput) => read(await request(route, input)),
  ]);
  return { ...Object.fromEntries(methods), request } as Client;
}

/** Whether an operation failed with this code; only codes that it can fail with are taken. */
export function isFailure<Id extends OperationId, Code extends ErrorCodeOf<Id>>(
  error: unknown,
  _operation: Id,
  code: Code,
): error is ApiError<Code> {
  return error instanceof ApiError && error.code === code;
}

async function send(options: ClientOptions, route: Route, input: RawInput): Promise<Response> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value));
  const search = query.size > 0 ? `?${query}` : '';

  const headers: Record<string, string> = { accept: 'application/json', ...input.headers };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (input.idempotencyKey) headers['idempotency-key'] = input.idempotencyKey;
  if (input.wait !== undefined) headers.prefer = `wait=${input.wait}`;
  const init: Parameters<Transport>[1] = {
    method: route.method,
    headers,
    credentials: 'same-origin',
    ...(input.signal && { signal: input.signal }),
  };
  if (input.body !== undefined) {
    const isBytes = input.body instanceof Blob;
    headers['content-type'] ??= isBytes ? (input.body as Blob).type || route.body || '' : 'application/json';
    init.body = isBytes || typeof input.body === 'string' ? (input.body as Blob | string) : JSON.stringify(input.body);
  }

  const url = `${options.baseUrl}${path}${search}`;
  const response = await (options.transport
    ? options.transport(url, init, route)
    : (options.fetch ?? fetch)(url, init));
  input.onAnswer?.(response);
  if (response.ok) return response;
  const body = isJson(response) ? ((await response.json()) as { detail?: unknown; code?: string }) : {};
  throw new ApiError(response.status, body, response.headers.get('x-request-id'));
}

const isJson = ({ headers }: Response) => headers.get('content-type')?.includes('json') ?? false;
const read = (response: Response): Promise<unknown> => (isJson(response) ? response.json() : response.blob());
