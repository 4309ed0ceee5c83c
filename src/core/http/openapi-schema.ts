/** What the parts of the OpenAPI document are made with. */
export type Json = Record<string, unknown>;

/** What the document names once and refers to. */
export interface Components {
  schemas: Json;
  responses: Json;
  headers: Json;
  parameters: Json;
}

export const json = (schema: unknown): Json => ({ 'application/json': { schema } });
export const refer = (kind: keyof Components, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** Replaces every titled schema by a reference to the component of that name. */
export function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title } = schema as { title?: unknown };
  // A property may well be called title; the annotation is the one that is text.
  const entries = Object.entries(schema).filter(([key, value]) => !(key === 'title' && typeof value === 'string'));
  const inner = Object.fromEntries(entries.map(([key, value]) => [key, hoist(value, schemas)]));
  if (typeof title !== 'string') return inner;
  schemas[title] ??= inner;
  return refer('schemas', title);
}
