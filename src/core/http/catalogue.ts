import type { TSchema } from 'typebox';
import { type Fault, invalid } from '#core/errors.ts';
import { failuresOf } from './declared.ts';
import { strongestEffect } from './effects.ts';
import type { Input } from './invoke.ts';
import type { Effect, FlatInput, Operation } from './operation.ts';

type Schema = Record<string, unknown>;
type Fields = Record<string, Schema>;

/** An operation for whoever is not a browser: a model, a client of MCP, the command line (docs/decisions/0043). */
export interface CatalogueEntry {
  id: string;
  summary: string;
  tag: string;
  method: Operation['method'];
  path: string;
  /** The strongest that it can have; `effectOf` knows the effect of one call. */
  effect: Effect;
  /** Its work may go on after the answer, and an event tells of its end. */
  longRunning: boolean;
  /** For assistants: (A) in the contract. */
  assistant: boolean;
  /** One object with all fields; no others are taken. */
  input: { type: 'object'; properties: Fields; required: string[]; additionalProperties: false };
  /** Where each of them goes in a request. */
  places: Record<string, Place[]>;
  /** What a success is, where it is JSON. */
  output: Schema | undefined;
  errors: string[];
}

export function catalogueOf(operations: readonly Operation[]): CatalogueEntry[] {
  return operations.map((operation) => ({
    id: operation.id,
    summary: operation.summary,
    tag: operation.tag,
    method: operation.method,
    path: operation.path,
    effect: strongestEffect(operation),
    longRunning: operation.goesOn === true,
    assistant: operation.assistant === true,
    input: inputOf(operation),
    places: Object.fromEntries(placesOf(operation)),
    output: operation.response && plain(operation.response),
    errors: [...new Set(failuresOf(operation).map(({ code }) => code))].sort(),
  }));
}

/**
 * Where the fields of one object belong. A field that the operation does not know is refused: whoever writes `dryrun` for
 * `is_dry_run` means something, and over HTTP it would be ignored.
 */
export function callOf(operation: Operation, input: FlatInput): Pick<Input, 'params' | 'query' | 'body'> {
  const places = placesOf(operation);
  const faults: Fault[] = Object.keys(input)
    .filter((name) => !places.has(name))
    .map((name) => ({ loc: ['body', name], msg: `${operation.id} has no such field`, type: 'extra_forbidden' }));
  if (faults.length > 0) throw invalid(...faults);
  const call = { params: {}, query: {}, body: {} } as Record<Place, Record<string, never>>;
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    for (const place of places.get(name) ?? []) call[place][name] = value as never;
  }
  const { params, query, body } = call;
  return { params, query, ...(isObject(operation.body) && { body }) };
}

type Place = 'params' | 'query' | 'body';
const isObject = (schema: TSchema | undefined): boolean => (schema as Schema | undefined)?.type === 'object';
const fieldsOf = (schema: TSchema | undefined): Fields =>
  (schema as { properties?: Fields } | undefined)?.properties ?? {};
const requiredOf = (schema: TSchema | undefined): string[] =>
  (schema as { required?: string[] } | undefined)?.required ?? [];

/** A name is one field. What names the thing goes into the path, and beyond that only where the body insists. */
function placesOf({ params, query, body }: Operation): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  for (const name of Object.keys(fieldsOf(params)))
    places.set(name, requiredOf(body).includes(name) ? ['params', 'body'] : ['params']);
  for (const place of ['body', 'query'] as const)
    for (const name of Object.keys(fieldsOf(place === 'body' ? body : query)))
      if (!places.has(name)) places.set(name, [place]);
  return places;
}

function inputOf(operation: Operation): CatalogueEntry['input'] {
  const { params, query, body } = operation;
  const schemas = { params, query, body };
  const properties: Fields = {};
  const required: string[] = [];
  for (const [name, [place]] of placesOf(operation)) {
    const schema = schemas[place as Place];
    properties[name] = described(name, plain(fieldsOf(schema)[name] as Schema));
    if (requiredOf(schema).includes(name)) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

/** What an id is of stands in its name. */
export function described(name: string, schema: Schema): Schema {
  if (schema.description !== undefined || schema.format !== 'uuid') return schema;
  return { ...schema, description: `The id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}` };
}

/** The schema as JSON has it, without what only our own code reads. */
const plain = (schema: object): Schema => JSON.parse(JSON.stringify(schema));
