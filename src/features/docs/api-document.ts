/** The parts of our own OpenAPI document that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  'x-name'?: string;
}

export interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
  'x-assistant-enabled'?: boolean;
}

export interface ApiDocument {
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

export interface Described extends OperationObject {
  path: string;
  method: string;
}

export const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

export function resolve(api: ApiDocument, schema: Schema): Schema {
  return schema.$ref ? (api.components.schemas[nameOf(schema.$ref)] ?? {}) : schema;
}

/** Every operation with its address, and its parameters spelled out. */
export function operationsIn(api: ApiDocument): Described[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      parameters: (operation.parameters ?? []).map((each) => {
        const { $ref } = each as unknown as { $ref?: string };
        return $ref ? (api.components.parameters[nameOf($ref)] as Parameter) : each;
      }),
    })),
  );
}
