/**
 * Every failure that a caller can meet is an AppError with a code that its feature declares once. One place
 * (http/answers.ts) turns it into an answer; nobody sorts errors by their text.
 */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  /** Faults of single fields; makes the answer a 422 with `detail` as an array. */
  readonly faults: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the answer's body, such as OAuth's `error`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** True where what was asked for may have been done all the same: it was sent elsewhere and its end is not known. */
  readonly mayHaveHappened: boolean;

  constructor(code: string, status: number, message: string, more: ErrorDetails = {}) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.faults = more.faults;
    this.headers = more.headers ?? {};
    this.data = more.data ?? {};
    this.mayHaveHappened = more.mayHaveHappened ?? false;
  }
}

/** One thing wrong with a request, in the words that Pydantic v2 clients know. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type: string;
}

interface ErrorDetails {
  faults?: readonly Fault[];
  headers?: Record<string, string>;
  data?: Record<string, unknown>;
  mayHaveHappened?: true;
}

/** What makes such errors, and says what they are: operations declare the failures that they can answer with. */
export interface Failure {
  (more?: ErrorDetails & { message?: string }): AppError;
  readonly code: string;
  readonly status: number;
  /** What it usually says. */
  readonly sentence: string;
}

const DECLARED = new Set<Failure>();

/** Declares a failure: `const notFound = failure('ticket.not_found', 404, 'There is no such ticket.')`. */
export function failure(code: string, status: number, sentence: string, always?: ErrorDetails): Failure {
  const make = (more?: ErrorDetails & { message?: string }) =>
    new AppError(code, status, more?.message ?? sentence, { ...always, ...more });
  const declared = Object.assign(make, { code, status, sentence });
  DECLARED.add(declared);
  return declared;
}

/** All that this process can refuse with, for the page that says what each means. */
export function declaredFailures(): Failure[] {
  return [...DECLARED];
}

/** A refusal with the word that OAuth has for it (RFC 6749, 5.2). */
export function oauthFailure(code: string, error: string, status: number, sentence: string): Failure {
  return failure(code, status, sentence, { data: { error } });
}

export const requestInvalid = failure('request.invalid', 422, 'Something in the request is not valid.');

/** A body can hold 100,000 errors; the first ones are enough to correct it. */
export const MAX_FAULTS = 100;

/** A 422 about fields, be it that only a look at the data could find them wrong. */
export function invalid(...faults: Fault[]) {
  return requestInvalid({ faults: faults.slice(0, MAX_FAULTS) });
}

/** The usual fault of a body field that parses but makes no sense. */
export function bodyFault(field: string, msg: string, type = 'value_error'): Fault {
  return { loc: ['body', field], msg, type };
}

export const unauthenticated = failure(
  'auth.required',
  401,
  'Sign in first: the credential is missing, wrong or expired.',
);
export const forbidden = failure('auth.forbidden', 403, 'Your role does not allow this.');
