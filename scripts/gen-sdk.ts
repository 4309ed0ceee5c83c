/** Turns the OpenAPI document into TypeScript: one interface per component and one typed entry per operation. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: unknown;
  format?: string;
  anyOf?: Schema[];
}

interface OperationObject {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
}

/** Only those of path and query are written out; headers are options of every call. */
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
  /** Its own name, where the path is shared with an operation that calls it otherwise. */
  'x-name'?: string;
}

interface Answer {
  $ref?: string;
  content?: Record<string, { schema: Schema & { allOf?: Schema[] } }>;
}

interface ApiDocument {
  paths?: Record<string, Record<string, OperationObject>>;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Answer> };
}

export function sdkSource(input: object): string {
  const document = input as ApiDocument;
  const interfaces = Object.entries(document.components?.schemas ?? {})
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};`);
  const all = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const codes = all.map(({ operation }) => codesOf(document, operation));
  const common = (codes[0] ?? []).filter((code) => codes.every((each) => each.includes(code)));
  const operations = all.map(({ path, method, operation }, at) =>
    describe(path, method, operation, codes[at]?.filter((code) => !common.includes(code)) ?? []),
  );
  return [
    '// Made from the operations by npm run gen.',
    '',
    ...interfaces,
    '',
    '/** The codes that every operation can fail with. */',
    `export type CommonError = ${union(common)};`,
    '',
    '/** What each operation takes and answers, and the codes that it can fail with besides the common ones. */',
    'export interface Operations {',
    ...operations.map(({ types }) => types),
    '}',
    '',
    '/** Where each operation is found. */',
    'export const ROUTES = {',
    ...operations.map(({ route }) => route),
    '} as const satisfies Record<keyof Operations, { method: string; path: string; body?: string; once?: true }>;',
    '',
  ].join('\n');
}

const union = (words: string[]) => words.map((word) => `'${word}'`).join(' | ') || 'never';

/** The codes in the failures of an operation. */
function codesOf(document: ApiDocument, { responses }: OperationObject): string[] {
  const schemas = Object.values(responses).flatMap((answer) => {
    const { content } = answer.$ref ? (document.components?.responses?.[lastOf(answer.$ref)] ?? {}) : answer;
    return Object.values(content ?? {}).flatMap(({ schema }) => schema.allOf ?? []);
  });
  return [...new Set(schemas.flatMap(({ properties }) => (properties?.code?.enum ?? []) as string[]))].sort();
}

const lastOf = (reference: string) => reference.split('/').at(-1) ?? '';

function describe(
  sharedPath: string,
  method: string,
  operation: OperationObject,
  codes: string[],
): { types: string; route: string } {
  const path = (operation.parameters ?? []).reduce(
    (before, { name, 'x-name': own }) => (own ? before.replace(`{${name}}`, `{${own}}`) : before),
    sharedPath,
  );
  const group = (place: string) => {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    if (parameters.length === 0) return undefined;
    const fields = parameters.map(
      ({ name, required, schema, 'x-name': own }) => `${own ?? name}${required ? '' : '?'}: ${typeOf(schema, '    ')}`,
    );
    return { type: `{ ${fields.join('; ')} }`, required: parameters.some(({ required }) => required) };
  };
  const content = operation.requestBody?.content ?? {};
  const contentType = Object.keys(content)[0];
  const members = Object.entries({ params: group('path'), query: group('query') }).flatMap(([name, part]) =>
    part ? [`${name}${part.required ? '' : '?'}: ${part.type}`] : [],
  );
  if (operation.requestBody && contentType) {
    const schema = content[contentType]?.schema ?? {};
    const bodyType = schema.format === 'binary' ? 'Blob' : typeOf(schema, '    ');
    members.push(`body${operation.requestBody.required ? '' : '?'}: ${bodyType}`);
  }
  const answers = operation.responses['200']?.content ?? {};
  const output = Object.entries(answers).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema, '  ') : 'Blob',
  );
  const input = members.length > 0 ? `{ ${members.join('; ')} }` : 'Record<never, never>';
  const bodyKind = contentType === undefined ? '' : `, body: '${contentType}'`;
  // A POST that keeps no answer has its effect each time that it is sent.
  const isKept = operation.parameters?.some(({ $ref = '' }) => lastOf($ref) === 'IdempotencyKey');
  const once = method === 'post' && !isKept ? ', once: true' : '';
  return {
    types: `  /** ${operation.summary} */\n  ${operation.operationId}: { input: ${input}; output: ${output.join(' | ') || 'Blob'}; errors: ${union(codes)} };`,
    route: `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}'${bodyKind}${once} },`,
  };
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return lastOf(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (schema.enum) return schema.enum.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

function plainType(type: string | undefined, schema: Schema, indent: string): string {
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (!properties || Object.keys(properties).length === 0)
    return additionalProperties ? 'Record<string, unknown>' : 'Record<string, never>';
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`,
  );
  return `{\n${fields.join('\n')}\n${indent}}`;
}
