import type { TSchema } from 'typebox';
import { SCOPES } from '#core/auth/caller.ts';
import { described } from './catalogue.ts';
import { cookieName } from './cookies.ts';
import { strongestEffect } from './effects.ts';
import { describeCommonResponses, describeResponses, HEADERS } from './openapi-responses.ts';
import { type Components, hoist, type Json, refer } from './openapi-schema.ts';
import { API_PREFIX, API_VERSION, keepsAnswer, type Operation } from './operation.ts';
import { Nullable } from './schema.ts';
import { optionalWithoutNull } from './validation.ts';

/** What whoever writes a first call has to know, as Markdown. */
const INTRODUCTION = `Managed hosting of WordPress-style sites: teams, sites, backups, plans, support, all through one JSON API.

- **Signing in:** \`POST ${API_PREFIX}/token\` with the form \`grant_type=password&username=…&password=…\` answers an
  \`access_token\`; send it as \`Authorization: Bearer …\`. Scripts had better use a personal API token, which you make in
  the dashboard under Account.
- **Errors:** \`{"detail": "one sentence", "code": "site.busy"}\`. A 422 has a list in \`detail\` instead, with every fault and
  where it is. What you may not know of is a 404.
- **Bodies:** unknown fields are ignored, and null in an optional field is as good as leaving it out.
- **Lists:** \`page\` from 1 and \`size\` up to 100; \`next\` and \`previous\` are the addresses of the pages beside.
- **Sending again:** with an \`Idempotency-Key\` a POST takes effect once, however often it is sent within 24 hours.
- **Work that takes time** answers at once and names its event in \`Operation-Id\`. \`Prefer: wait=30\` has the answer wait for
  the end; \`GET ${API_PREFIX}/event/{event_id}\`, the event stream and webhooks tell of it.`;

/** The OpenAPI 3.1 document, from the same declarations that validate and serialise. */
export function describeApi(operations: readonly Operation[], baseUrl: string): Json {
  const schemas: Json = {};
  const responses = describeCommonResponses(schemas);
  const components: Components = { schemas, responses, headers: HEADERS, parameters: REQUEST_HEADERS };
  const paths: Record<string, Json> = {};
  const templates = new Map<string, string>();
  for (const operation of operations) {
    const { path, rename } = unifyPath(API_PREFIX + operation.path, templates);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describeOperation(operation, rename, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Siteyard',
      version: API_VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      ...components,
      securitySchemes: {
        OAuth2PasswordBearer: {
          type: 'oauth2',
          flows: { password: { tokenUrl: `${API_PREFIX}/token`, scopes: scopeNames } },
        },
        APIKeyCookie: { type: 'apiKey', in: 'cookie', name: cookieName(baseUrl, 'session') },
      },
    },
  };
}

/**
 * Paths that differ only in the names of their parameters are one path to OpenAPI, which forbids to list both: the first names
 * stand for all, and a parameter that has another name of its own says so (docs/decisions/0014).
 */
function unifyPath(path: string, templates: Map<string, string>): { path: string; rename: (name: string) => string } {
  const shape = path.replaceAll(/\{\w+\}/g, '{}');
  const first = templates.get(shape) ?? path;
  templates.set(shape, first);
  const names = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  return { path: first, rename: (name) => names(first)[names(path).indexOf(name)] ?? name };
}

const scopeNames = Object.fromEntries(SCOPES.map((scope) => [scope, `What a token of scope ${scope} may do`]));

/** Headers of requests, by what the document calls them. */
const REQUEST_HEADERS: Json = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes it safe to send the request again: within 24 hours the same key and body have one effect and one answer. Another body is a 422; while the first request runs, it is a 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: 'RFC 7240: how many seconds, 60 at most, the answer may wait for the work to end',
    schema: { type: 'string' },
    example: 'wait=30',
  },
};

function describeOperation(operation: Operation, rename: (name: string) => string, components: Components): Json {
  const { access } = operation;
  const { schemas } = components;
  const parameters = [
    ...describeParameters('path', operation.params, schemas, rename),
    ...describeParameters('query', operation.query, schemas),
    ...(keepsAnswer(operation) ? [refer('parameters', 'IdempotencyKey')] : []),
    ...(operation.goesOn ? [refer('parameters', 'Prefer')] : []),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `Who may: ${access.rule}.`,
    tags: [operation.tag],
    security: describeSecurity(access),
    ...(operation.assistant && { 'x-assistant-enabled': true }),
    'x-effect': strongestEffect(operation),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(operation, schemas),
    responses: describeResponses(operation, components),
  };
}

function describeSecurity(access: Operation['access']): Json[] {
  const bearer = { OAuth2PasswordBearer: [] };
  if (access.who === 'bearer') return [bearer];
  const either = [bearer, { APIKeyCookie: [] }];
  if (access.who !== 'anyone') return either;
  // The empty one says that it also works without.
  return access.identifies ? [{}, ...either] : [];
}

function describeBody(operation: Operation, schemas: Json): Json {
  const accepts = operation.accepts ?? ['json'];
  const isBytes = accepts.includes('bytes') || accepts.includes('stream');
  const raw = isBytes ? 'application/octet-stream' : accepts.includes('xml') && 'text/xml';
  if (raw)
    return { requestBody: { required: true, content: { [raw]: { schema: { type: 'string', format: 'binary' } } } } };
  if (!operation.body) return {};
  const schema = hoist(withNulls(operation.body), schemas);
  const types = { json: 'application/json', form: 'application/x-www-form-urlencoded', bytes: '', stream: '', xml: '' };
  const content = Object.fromEntries(accepts.map((kind) => [types[kind], { schema }]));
  const { required = [] } = operation.body as { required?: string[] };
  return { requestBody: { required: required.length > 0, content } };
}

/** A body as it may be sent: null in an optional field is as good as leaving it out. */
function withNulls(body: TSchema): unknown {
  const { properties } = body as unknown as { properties: Record<string, TSchema> };
  const nullable = optionalWithoutNull(body).map((name) => [name, Nullable(properties[name] as TSchema)]);
  return { ...body, properties: { ...properties, ...Object.fromEntries(nullable) } };
}

function describeParameters(
  place: 'path' | 'query',
  schema: object | undefined,
  schemas: Json,
  rename = (name: string) => name,
): Json[] {
  if (!schema) return [];
  const { properties, required = [] } = schema as { properties: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = described(name, property);
    const shownAs = rename(name);
    return {
      name: shownAs,
      in: place,
      required: required.includes(name),
      ...(shownAs === name
        ? description !== undefined && { description }
        : { description: `\`${name}\`: ${description}`, 'x-name': name }),
      schema: hoist(rest, schemas),
    };
  });
}
