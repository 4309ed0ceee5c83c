/** A refusal in the shape of Stripe's. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly param: string | undefined;
  readonly type: string;

  constructor(
    status: number,
    message: string,
    { code, param, type = 'invalid_request_error' }: { code?: string; param?: string; type?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.type = type;
  }

  toBody(): object {
    const { type, message, code, param } = this;
    return { error: { type, message, ...(code && { code }), ...(param && { param }) } };
  }
}

export const missing = (object: string, id: string) =>
  new ApiError(404, `No such ${object}: '${id}'`, { code: 'resource_missing', param: 'id' });

export const required = (param: string) =>
  new ApiError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param });
