import { type Failure, requestInvalid } from '#core/errors.ts';
import { failuresOf } from './declared.ts';
import { internal } from './failures.ts';
import { type Components, hoist, type Json, json, refer } from './openapi-schema.ts';
import { keepsAnswer, type Operation } from './operation.ts';
import { ErrorAnswer, InternalError, ValidationError } from './schema.ts';

/** The answers of an operation, in the document: its success, and each failure by its status and its codes. */
export function describeResponses(operation: Operation, components: Components): Json {
  const byStatus = Map.groupBy(failuresOf(operation), ({ status }) => status);
  const refusals = [...byStatus].map(([status, failures]) => [
    status,
    describeFailures(operation, failures, components),
  ]);
  return {
    ...describeSuccess(operation, components),
    ...Object.fromEntries(refusals),
    '4XX': refer('responses', 'Refused'),
  };
}

const text = (description: string, more: Json = {}): Json => ({ description, schema: { type: 'string', ...more } });
const number = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of responses. The first is on every one, the next three on every one where a limit applies. */
export const HEADERS: Json = {
  'X-Request-Id': text('Names this request, in the log of the platform too', { format: 'uuid' }),
  'RateLimit-Limit': number('Requests allowed per minute; absent, like the other two headers, if no limit applies'),
  'RateLimit-Remaining': number('Requests left in this minute'),
  'RateLimit-Reset': number('Seconds until there are as many again'),
  'Retry-After': number('Seconds after which it is worth trying again'),
  Link: text('rel="help": where the docs say more of the error'),
  'WWW-Authenticate': text('What kind of credential is asked for'),
  'Idempotent-Replayed': text(
    'There where this is the first answer to this Idempotency-Key, once more, be it a refusal',
    {
      enum: ['true'],
    },
  ),
  'Operation-Id': text(
    'The event of the work that goes on, where some does: GET /event/{event_id} tells how far it is',
    {
      format: 'uuid',
    },
  ),
  'Preference-Applied': text('How long the answer would have waited, where Prefer asked for it'),
};
const ON_EVERY_ANSWER = Object.keys(HEADERS).slice(0, 4);

/** Answers that are the same wherever they are given. */
export function describeCommonResponses(schemas: Json): Json {
  const description = 'Refused before the operation was reached, such as for headers that are too large';
  return { Refused: { description, content: json(hoist(ErrorAnswer, schemas)) } };
}

const headersOf = (...names: string[]): Json =>
  Object.fromEntries([...ON_EVERY_ANSWER, ...names].map((name) => [name, refer('headers', name)]));

function describeSuccess(operation: Operation, { schemas }: Components): Json {
  const { response, produces, alsoText, also = {}, goesOn } = operation;
  const headers = headersOf(
    ...(keepsAnswer(operation) ? ['Idempotent-Replayed'] : []),
    ...(goesOn ? ['Operation-Id', 'Preference-Applied'] : []),
  );
  const content = response
    ? { ...json(hoist(response, schemas)), ...(alsoText && { 'text/plain': { schema: { type: 'string' } } }) }
    : produces && { [produces]: { schema: { type: 'string' } } };
  const others = Object.entries(also).map(([status, { description, headers: own = {} }]) => {
    const described = Object.entries(own).map(([name, what]) => [name, text(what)]);
    return [status, { description, headers: { ...headers, ...Object.fromEntries(described) } }];
  });
  return { ...(content && { 200: { description: 'Success', headers, content } }), ...Object.fromEntries(others) };
}

/** What is said by one code, or by two that often come together, is named by them and written down once. */
function describeFailures(operation: Operation, failures: Failure[], components: Components): Json {
  const { responses, schemas } = components;
  const [{ status }] = failures as [Failure];
  const described = {
    description: failures.map(({ code, sentence }) => `\`${code}\`: ${sentence}`).join('\n\n'),
    headers: headersOf(
      'Link',
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ),
    content: json(bodyOf(operation, failures, schemas)),
  };
  if (failures.length > 2 || operation.oauthErrors) return described;
  const name = failures.map(({ code }) => nameOf(code)).join('Or');
  responses[name] ??= described;
  // Some codes are said with another status, or in other words, by another feature.
  return JSON.stringify(responses[name]) === JSON.stringify(described) ? refer('responses', name) : described;
}

const nameOf = (code: string) => code.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

function bodyOf({ oauthErrors }: Operation, failures: Failure[], schemas: Json): unknown {
  const codes = [...new Set(failures.map(({ code }) => code))].sort();
  const isInvalid = failures[0]?.status === 422;
  // A 422 that is only about fields has no code.
  const named = codes.filter((code) => !isInvalid || code !== requestInvalid.code);
  const base = isInvalid ? ValidationError : codes.includes(internal.code) ? InternalError : ErrorAnswer;
  const own = {
    ...(named.length > 0 && { code: { type: 'string', enum: named } }),
    ...(oauthErrors && { error: { type: 'string' }, error_description: { type: 'string' } }),
  };
  const reference = hoist(base, schemas);
  return Object.keys(own).length > 0 ? { allOf: [reference, { type: 'object', properties: own }] } : reference;
}
