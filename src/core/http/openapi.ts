import { SCOPES } from '#core/auth/caller.ts';
import { cookieName } from './cookies.ts';
import { API_PREFIX, type Operation } from './operation.ts';
import { ErrorAnswer, ValidationError } from './schema.ts';

/** The OpenAPI 3.1 document, from the same declarations that validate and serialise. */
type Json = Record<string, unknown>;

/** What whoever writes a first call has to know, as Markdown. */
const INTRODUCTION = `Managed hosting of WordPress-style sites: teams, sites, backups, plans, support, all through one JSON API.

- **Signing in:** \`POST ${API_PREFIX}/token\` with the form \`grant_type=password&username=…&password=…\` answers an
  \`access_token\`; send it as \`Authorization: Bearer …\`. Scripts had better use a personal API token, which you make in
  the dashboard under Account.
- **Errors:** \`{"detail": "one sentence", "code": "site.busy"}\`. A 422 has a list in \`detail\` instead, with every fault and
  where it is. What you may not know of is a 404.
- **Lists:** \`page\` from 1 and \`size\` up to 100; \`next\` and \`previous\` are the addresses of the pages beside.
- **Sending again:** with an \`Idempotency-Key\` a POST takes effect once, however often it is sent within 24 hours.
- **Work that takes time** answers at once and names its event in \`Operation-Id\`. \`Prefer: wait=30\` has the answer wait for
  the end; \`GET ${API_PREFIX}/event/{event_id}\`, the event stream and webhooks tell of it.`;

export function describeApi(operations: readonly Operation[], baseUrl: string): Json {
  const components: Json = {};
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
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
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

/** Paths that differ only in the names of their parameters are one path to OpenAPI; the first names stand for all. */
function unifyPath(path: string, templates: Map<string, string>): { path: string; rename: (name: string) => string } {
  const shape = path.replaceAll(/\{\w+\}/g, '{}');
  const first = templates.get(shape) ?? path;
  templates.set(shape, first);
  const names = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  return { path: first, rename: (name) => names(first)[names(path).indexOf(name)] ?? name };
}

const scopeNames = Object.fromEntries(SCOPES.map((scope) => [scope, `What a token of scope ${scope} may do`]));

function describeOperation(operation: Operation, rename: (name: string) => string, components: Json): Json {
  const { access } = operation;
  const parameters = [
    ...describeParameters('path', operation.params, components, rename),
    ...describeParameters('query', operation.query, components),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `Who may: ${access.rule}.`,
    tags: [operation.tag],
    security: describeSecurity(access),
    ...(operation.assistant && { 'x-assistant-enabled': true }),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(operation, components),
    responses: {
      200: { description: 'Success', content: describeAnswer(operation, components) },
      ...((parameters.length > 0 || operation.body) && {
        422: {
          description: 'Something in the request is not valid',
          content: json(hoist(ValidationError, components)),
        },
      }),
      '4XX': { description: 'Refused', content: json(hoist(ErrorAnswer, components)) },
    },
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

function describeAnswer(operation: Operation, components: Json): Json {
  if (operation.response) return json(hoist(operation.response, components));
  return { [operation.produces ?? 'application/octet-stream']: { schema: { type: 'string' } } };
}

function describeBody(operation: Operation, components: Json): Json {
  const accepts = operation.accepts ?? ['json'];
  const raw = accepts.includes('bytes') ? 'application/octet-stream' : accepts.includes('xml') && 'text/xml';
  if (raw)
    return { requestBody: { required: true, content: { [raw]: { schema: { type: 'string', format: 'binary' } } } } };
  if (!operation.body) return {};
  const schema = hoist(operation.body, components);
  const types = { json: 'application/json', form: 'application/x-www-form-urlencoded', bytes: '', xml: '' };
  const content = Object.fromEntries(accepts.map((kind) => [types[kind], { schema }]));
  const { required = [] } = operation.body as { required?: string[] };
  return { requestBody: { required: required.length > 0, content } };
}

function describeParameters(
  place: 'path' | 'query',
  schema: object | undefined,
  components: Json,
  rename = (name: string) => name,
): Json[] {
  if (!schema) return [];
  const { properties, required = [] } = schema as { properties: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name: rename(name),
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: hoist(rest, components),
    };
  });
}

const json = (schema: unknown): Json => ({ 'application/json': { schema } });

/** Replaces every titled schema by a reference to the component of that name. */
function hoist(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title } = schema as { title?: unknown };
  // A property may well be called title; the annotation is the one that is text.
  const entries = Object.entries(schema).filter(([key, value]) => !(key === 'title' && typeof value === 'string'));
  const inner = Object.fromEntries(entries.map(([key, value]) => [key, hoist(value, components)]));
  if (typeof title !== 'string') return inner;
  components[title] ??= inner;
  return { $ref: `#/components/schemas/${title}` };
}
