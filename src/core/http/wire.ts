import type { Operation } from './operation.ts';

interface Schema {
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

/**
 * A success as it would arrive over HTTP: moments are text, and what the schema does not name is not told. Fastify's
 * serialiser does the same to what it sends.
 */
export function toWire({ response }: Operation, body: unknown): unknown {
  const isText = response === undefined || typeof body === 'string';
  return isText ? body : JSON.parse(JSON.stringify(project(response as Schema, body)));
}

function project(schema: Schema, value: unknown): unknown {
  const { items, anyOf } = schema;
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (Array.isArray(value)) {
    const each = items ?? anyOf?.find((branch) => branch.items)?.items;
    return each ? value.map((item) => project(each, item)) : value;
  }
  const { properties, required = [] } = anyOf?.find((each) => fits(each, value)) ?? schema;
  if (!properties) return value;
  const lacking = required.find((name) => Object(value)[name] === undefined);
  if (lacking !== undefined) throw new Error(`an answer lacks ${lacking}`);
  const known = Object.entries(properties).map(([name, property]) => [name, project(property, Object(value)[name])]);
  return Object.fromEntries(known);
}

const fits = ({ required = [] }: Schema, value: object): boolean => required.every((name) => name in value);
