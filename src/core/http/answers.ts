import type { FastifyReply, FastifyRequest } from 'fastify';
import pg from 'pg';
import { AppError, invalid, requestInvalid } from '#core/errors.ts';
import type { Log } from '#core/log.ts';
import { checkDeclared } from './declared.ts';
import { conflict, diskFull, internal, malformed, tooLarge, unavailable } from './failures.ts';
import type { Operation } from './operation.ts';

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = describeError(
    error,
    request.routeOptions.config.operation,
    request.log as Log,
    request.id,
  );
  return reply.headers(headers).code(status).send(body);
}

interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The one place where an error becomes an answer. */
export function describeError(error: unknown, operation: Operation | undefined, log: Log, requestId: string): Refusal {
  const foreseen = toAppError(error);
  if (!foreseen) log.error({ err: error }, 'a bug: the request failed in a way nobody foresaw');
  else if (foreseen.status >= 500) log.warn({ err: error }, foreseen.message);
  const known = foreseen ?? internal({ data: { request_id: requestId } });
  if (operation) checkDeclared(operation, known, log);
  const oauth = operation?.oauthErrors ? oauthError(known) : {};
  return {
    status: known.status,
    headers: { ...known.headers, ...helpWith(known) },
    body: { ...oauth, ...errorBody(known) },
  };
}

/** RFC 6749: what a client of the token operations reads. What is our fault is not called the client's. */
function oauthError(error: AppError): Record<string, string> {
  const description = error.faults
    ?.map(({ loc: [, ...field], msg }) => (field.length > 0 ? `${field.join('.')}: ${msg}` : msg))
    .join('; ');
  return { error: oauthWord(error), error_description: description ?? error.message };
}

function oauthWord({ status, faults }: AppError): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  if (status >= 500) return 'server_error';
  const isGrantType = faults?.some(({ loc, type }) => loc[1] === 'grant_type' && type === 'enum');
  return isGrantType ? 'unsupported_grant_type' : 'invalid_request';
}

/** Where the docs say more of an error (RFC 8288), whatever its body is for its client. */
export function helpWith({ code }: { code: string }): { link: string } {
  return { link: `</docs/errors#${code}>; rel="help"` };
}

/** The sentence of a refusal, or what is wrong with each field. */
export function refusalOf(body: unknown): string {
  const { detail } = (body ?? {}) as { detail?: string | { loc: (string | number)[]; msg: string }[] };
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
  return detail ?? 'The call was refused.';
}

export function errorBody(error: AppError): Record<string, unknown> {
  if (!error.faults) return { detail: error.message, code: error.code, ...error.data };
  const code = error.code === requestInvalid.code ? {} : { code: error.code };
  return { detail: error.faults, ...code, ...error.data };
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof pg.DatabaseError) return fromDatabase(error);
  const { code, statusCode, syscall } = error as { code?: string; statusCode?: number; syscall?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalid(NO_MEDIA_TYPE);
  if (code === 'ENOSPC') return diskFull();
  if (syscall === 'connect' || (code !== undefined && BROKEN.has(code))) return unavailable();
  // The pool gives this one no code, so here its words must do.
  if (error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect'))
    return unavailable();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return malformed();
  return undefined;
}

const NO_MEDIA_TYPE = { loc: ['body'], msg: 'Value error, the content type is not one', type: 'value_error' };
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

function fromDatabase(error: pg.DatabaseError): AppError | undefined {
  switch (error.code) {
    case '23505': // unique_violation: two requests raced past the same check
    case '23503': // foreign_key_violation: what it refers to was deleted meanwhile
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
      return conflict();
    case '53100': // disk_full
      return diskFull();
    case '53300': // too_many_connections
    case '57014': // query_canceled: it took too long
    case '25P03': // idle_in_transaction_session_timeout
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
      return unavailable();
    default:
      return undefined;
  }
}
