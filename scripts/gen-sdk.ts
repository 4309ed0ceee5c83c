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
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface ApiDocument {
  paths?: Record<string, Record<string, OperationObject>>;
  components?: { schemas?: Record<string, Schema> };
}

export function sdkSource(input: object): string {
  const document = input as ApiDocument;
  const interfaces = Object.entries(document.components?.schemas ?? {})
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')};`);
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation)),
  );
  return [
    '// Made from the operations by npm run gen.',
    '',
    ...interfaces,
    '',
    '/** What each operation takes and answers. */',
    'export interface Operations {',
    ...operations.map(({ types }) => types),
    '}',
    '',
    '/** Where each operation is found. */',
    'export const ROUTES = {',
    ...operations.map(({ route }) => route),
    '} as const satisfies Record<keyof Operations, { method: string; path: string; body?: string }>;',
    '',
  ].join('\n');
}

function describe(path: string, method: string, operation: OperationObject): { types: string; route: string } {
  const group = (place: string) => {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    if (parameters.length === 0) return undefined;
    const fields = parameters.map(
      ({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema, '    ')}`,
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
  const answer = answers['application/json']?.schema;
  const input = members.length > 0 ? `{ ${members.join('; ')} }` : 'Record<never, never>';
  const bodyKind = contentType === undefined ? '' : `, body: '${contentType}'`;
  return {
    types: `  /** ${operation.summary} */\n  ${operation.operationId}: { input: ${input}; output: ${answer ? typeOf(answer, '  ') : 'Blob'} };`,
    route: `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}'${bodyKind} },`,
  };
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
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
