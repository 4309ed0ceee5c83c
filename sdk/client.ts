import { type Operations, ROUTES } from './operations.generated.ts';

export type * from './operations.generated.ts';

/** Any answer that is not a success. `faults` says, field by field, what a 422 is about. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly faults: readonly Fault[];
  readonly requestId: string | null;
  /** What the answer says besides, such as the records of a domain that are not right. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(status: number, body: { detail?: unknown; code?: string }, requestId: string | null) {
    const faults = Array.isArray(body.detail) ? (body.detail as Fault[]) : [];
    super(
      typeof body.detail === 'string'
        ? body.detail
        : faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ') || `HTTP ${status}`,
    );
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.faults = faults;
    this.requestId = requestId;
    const { detail: _detail, code: _code, ...data } = body;
    this.data = data;
  }
}

export interface Fault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

export interface ClientOptions {
  /** The platform's address; empty in a page that the platform itself serves. */
  baseUrl: string;
  /** A bearer token; without one the browser's session cookie counts. */
  token?: string;
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes a POST safe to repeat. */
  idempotencyKey?: string;
  /** How many seconds to wait for work that goes on in the background. */
  wait?: number;
}

/** A method per operation: `client.getTeam({ params: { team_id } })`. */
export type Client = {
  [Id in keyof Operations]: (
    ...args: Record<never, never> extends Operations[Id]['input']
      ? [input?: Operations[Id]['input'] & CallOptions]
      : [input: Operations[Id]['input'] & CallOptions]
  ) => Promise<Operations[Id]['output']>;
};

interface Input extends CallOptions {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(ROUTES).map(([id, route]) => [id, (input: Input = {}) => send(options, route, input)]);
  return Object.fromEntries(methods) as Client;
}

async function send(
  options: ClientOptions,
  route: { method: string; path: string; body?: string },
  input: Input,
): Promise<unknown> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value));
  const search = query.size > 0 ? `?${query}` : '';

  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (input.idempotencyKey) headers['idempotency-key'] = input.idempotencyKey;
  if (input.wait !== undefined) headers.prefer = `wait=${input.wait}`;
  const init: RequestInit = {
    method: route.method,
    headers,
    credentials: 'same-origin',
    ...(input.signal && { signal: input.signal }),
  };
  if (input.body !== undefined) {
    const isBytes = input.body instanceof Blob;
    headers['content-type'] = isBytes ? (input.body as Blob).type || route.body || '' : 'application/json';
    init.body = isBytes ? (input.body as Blob) : JSON.stringify(input.body);
  }

  const response = await (options.fetch ?? fetch)(`${options.baseUrl}${path}${search}`, init);
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  if (!response.ok) {
    const body = isJson ? ((await response.json()) as { detail?: unknown; code?: string }) : {};
    throw new ApiError(response.status, body, response.headers.get('x-request-id'));
  }
  return isJson ? response.json() : response.blob();
}
