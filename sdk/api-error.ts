/** Any answer that is not a success. `faults` says, field by field, what a 422 is about. */
export class ApiError<Code extends string = string> extends Error {
  readonly status: number;
  readonly code: Code | undefined;
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
    this.code = body.code as Code | undefined;
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
