import type { ApiDocument, OperationObject, Parameter, Schema } from './api-document.ts';
import { resolve } from './api-document.ts';

/** Values that an example can have, by the name of the field; the page puts the reader's own there where it knows them. */
const BY_NAME: Record<string, unknown> = {
  fqdn: '$SITE',
  team_id: '$TEAM',
  restore_point: '2026-11-15T14:05:00Z',
  cms_blog_name: 'The garden',
  cms_username: 'rosa',
  cms_email: 'rosa@example.com',
  cms_first_name: 'Rosa',
  cms_last_name: 'Field',
  first_name: 'Rosa',
  last_name: 'Field',
  subdomain: 'garden-next',
  cmd: 'wp plugin list',
  subject: 'A question',
  region_id: 1,
};
const BY_FORMAT: Record<string, string> = {
  uuid: '0b8f9a52-6c1e-4f0a-9d53-7a4f2f1c8e21',
  'date-time': '2026-11-15T14:05:00Z',
  email: 'rosa@example.com',
  fqdn: 'garden.example.com',
  host: 'shop.example.com',
  uri: 'https://example.com/',
};
const DEPTH = 4;

/** Something that fits the schema, with what is required and nothing else. */
function sampleOf(api: ApiDocument, given: Schema, name = '', depth = 0): unknown {
  const schema = resolve(api, given);
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  if (name in BY_NAME && type !== 'object' && type !== 'array') return BY_NAME[name];
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (type === 'object' || schema.properties) {
    if (depth > DEPTH) return {};
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {}).filter(([field]) => required.has(field));
    return Object.fromEntries(fields.map(([field, each]) => [field, sampleOf(api, each, field, depth + 1)]));
  }
  if (type === 'array') return schema.items && depth < DEPTH ? [sampleOf(api, schema.items, name, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return BY_FORMAT[schema.format ?? ''] ?? (name ? `a ${name.replaceAll('_', ' ')}` : 'text');
}

/** The call as it would be typed. */
export function curlOf(api: ApiDocument, path: string, method: string, operation: OperationObject): string {
  const base = api.servers[0]?.url ?? '';
  const parameters = operation.parameters.filter((each) => each.in !== 'header');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter ? textOf(sampleOf(api, parameter.schema, parameter['x-name'] ?? name)) : name;
  });
  const query = parameters.filter((each) => each.in === 'query' && each.required).map((each) => queryOf(api, each));
  const lines = [`curl "${base}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`];
  if (needsMethod(method, operation)) lines[0] = `curl -X ${method} ${lines[0]?.slice(5)}`;
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  const content = operation.requestBody?.content ?? {};
  if (content['application/x-www-form-urlencoded'])
    lines.push(...formOf(api, content['application/x-www-form-urlencoded'].schema));
  else if (content['application/json']) {
    const body = sampleOf(api, content['application/json'].schema);
    const isEmpty = Object.keys(body as object).length === 0;
    if (!isEmpty || operation.requestBody?.required)
      lines.push(`--json '${quoteVariables(JSON.stringify(body, null, 2))}'`);
  } else if (Object.keys(content)[0]) lines.push(`-H "Content-Type: ${Object.keys(content)[0]}" --data-binary @file`);
  return lines.join(' \\\n  ');
}

function needsMethod(method: string, { requestBody }: OperationObject): boolean {
  return method !== 'GET' && !(method === 'POST' && requestBody?.required);
}

const textOf = (value: unknown): string =>
  typeof value === 'string' && value.startsWith('$') ? value : encodeURIComponent(String(value));
const queryOf = (api: ApiDocument, { name, schema }: Parameter): string =>
  `${name}=${textOf(sampleOf(api, schema, name))}`;

function formOf(api: ApiDocument, schema: Schema): string[] {
  const fields = Object.entries(sampleOf(api, schema) as object);
  return fields.map(([name, value]) => `--data-urlencode "${name}=${value}"`);
}

/** A variable of the shell stands outside of the quotes. */
const quoteVariables = (json: string): string => json.replaceAll(/"(\$\w+)"/g, `"'$1'"`);
