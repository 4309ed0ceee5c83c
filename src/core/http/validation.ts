import { isIP } from 'node:net';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { type Fault, MAX_FAULTS } from '#core/errors.ts';
import { readHost, readHostName } from '#core/host-name.ts';
import { isUuid } from '#core/uuid.ts';

/**
 * Finds every fault of a request at once, in Pydantic's vocabulary. Values of path and query arrive as text and are
 * read by what the schema says; a body is never coerced.
 */
export type Part = 'path' | 'query' | 'body';

/** Returns the value as the schema means it, and adds to the faults what is wrong with it. */
export type Reader = (value: unknown, faults: Fault[]) => unknown;

const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false, verbose: true });
ajv.addFormat('uuid', isUuid);
ajv.addFormat('email', EMAIL);
ajv.addFormat('date-time', (text: string) => {
  if (!DATE_TIME.test(text) || Number.isNaN(Date.parse(text))) return false;
  // In UTC it must still have a year of four digits.
  const utcYear = new Date(text).getUTCFullYear();
  if (utcYear < 1 || utcYear > 9999) return false;
  // Date.parse takes the 30th of February for the 2nd of March.
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
});
ajv.addFormat('timezone', (text: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
});
// What moves the cursor of a terminal or turns the text around it is no part of a name.
ajv.addFormat('line', (text: string) => /\S/.test(text) && !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text));
// An IPv6 zone such as %eth0 means something on one machine alone.
ajv.addFormat('ip', (text: string) => isIP(text) !== 0 && !text.includes('%'));
ajv.addFormat('fqdn', (text: string) => readHostName(text) !== undefined);
ajv.addFormat('host', (text: string) => readHost(text) !== undefined);

interface ObjectSchema {
  properties?: Record<string, { type?: string | string[]; format?: string; default?: unknown; maxItems?: number }>;
  required?: string[];
}

export function compileReader(part: Part, schema: TSchema, { acceptsRepeated = false } = {}): Reader {
  const validate = ajv.compile(schema);
  const properties = Object.entries((schema as ObjectSchema).properties ?? {});
  const namesOf = (format: string) =>
    properties.filter(([, property]) => property.format === format).map(([name]) => name);
  const uuids = namesOf('uuid');
  const hostNames = namesOf('fqdn');
  const hosts = namesOf('host');
  const nullless = part === 'body' ? optionalWithoutNull(schema) : [];

  return (value, faults) => {
    const before = faults.length;
    const input =
      part === 'body'
        ? shorten(dropNulls(value, nullless), properties)
        : readText(part, value as Record<string, unknown>, properties, acceptsRepeated ? [] : faults);
    for (const fault of findBadText(part, input, properties)) {
      faults.push(fault);
      if (faults.length - before >= MAX_FAULTS) break;
    }
    if (!validate(input)) faults.push(...toFaults(part, validate));
    if (faults.length > before) return input;
    // What the schema does not know is ignored, so it must not travel on: an insert would take it for a column.
    const known = properties.filter(([name]) => Object.hasOwn(input as object, name));
    const object = Object.fromEntries(known.map(([name]) => [name, (input as Record<string, unknown>)[name]]));
    // Ids are compared as text against what Postgres prints, which is lower case.
    for (const name of uuids) if (typeof object[name] === 'string') object[name] = object[name].toLowerCase();
    for (const name of hostNames) if (typeof object[name] === 'string') object[name] = readHostName(object[name]);
    for (const name of hosts) if (typeof object[name] === 'string') object[name] = readHost(object[name]);
    return object;
  };
}

type Properties = [string, NonNullable<ObjectSchema['properties']>[string]][];

/** Takes the known parameters out of a path or query and turns their text into numbers and booleans where that works. */
function readText(
  part: Part,
  value: Record<string, unknown>,
  properties: Properties,
  faults: Fault[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, property] of properties) {
    let text = value[name];
    if (Array.isArray(text)) {
      faults.push({ loc: [part, name], msg: REPEATED, type: 'value_error' });
      text = text.at(-1);
    }
    if (text === undefined) continue;
    result[name] = typeof text === 'string' ? parseText(text, property) : text;
  }
  return result;
}

/**
 * Of a body, the optional fields whose own schema does not admit null. In these null says the same as leaving the field
 * out; a schema that admits null gives it a meaning of its own, such as to unlink a repository.
 */
export function optionalWithoutNull(body: TSchema): string[] {
  const { properties = {}, required = [] } = body as ObjectSchema;
  const admitsNull = ({ type = 'null' }: { type?: string | string[] }) => [type].flat().includes('null');
  return Object.keys(properties).filter(
    (name) => !required.includes(name) && !admitsNull(properties[name] as { type?: string }),
  );
}

function dropNulls(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const name of names) if (object[name] === null) delete object[name];
  return object;
}

/** Of a list that is too long one item more than allowed is enough to say so; a fault for each would fill the memory. */
function shorten(value: unknown, properties: Properties): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const [name, { maxItems }] of properties) {
    const list = object[name];
    if (Array.isArray(list) && maxItems !== undefined && list.length > maxItems)
      object[name] = list.slice(0, maxItems + 1);
  }
  return object;
}

const REPEATED = 'Value error, must be there only once';

const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n']);

function parseText(text: string, { type, format }: { type?: string | string[]; format?: string }): unknown {
  if (type === 'integer') return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    const word = text.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : text;
  }
  // A plus sign that nobody encoded arrives as a blank: 2026-11-15T01:34:00 00:00.
  if (format === 'date-time') return text.replace(/ (\d\d:?\d\d)$/, '+$1');
  return text;
}

function toFaults(part: Part, validate: ValidateFunction): Fault[] {
  const faults: Fault[] = [];
  for (const error of validate.errors ?? []) {
    if (faults.length >= MAX_FAULTS) break;
    const described = describe(error);
    if (described) faults.push({ loc: locate(part, error), ...described });
  }
  return faults;
}

function locate(part: Part, error: ErrorObject): (string | number)[] {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
  const missing = error.keyword === 'required' ? [String(error.params.missingProperty)] : [];
  return [part, ...steps, ...missing];
}

function describe(error: ErrorObject): { msg: string; type: string } | undefined {
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return { type: 'missing', msg: 'Field required' };
    case 'type':
      return describeType(params.type as string | string[], error.data);
    case 'format':
      return describeFormat(String(params.format));
    case 'enum': {
      const words = (params.allowedValues as unknown[]).filter((word) => word !== null).map((word) => `'${word}'`);
      return { type: 'enum', msg: `Input should be ${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}` };
    }
    case 'minimum':
      return { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${params.limit}` };
    case 'maximum':
      return { type: 'less_than_equal', msg: `Input should be less than or equal to ${params.limit}` };
    case 'minLength':
      return { type: 'string_too_short', msg: `String should have at least ${count(params.limit, 'character')}` };
    case 'maxLength':
      return { type: 'string_too_long', msg: `String should have at most ${count(params.limit, 'character')}` };
    case 'minItems':
      return { type: 'too_short', msg: `List should have at least ${count(params.limit, 'item')}` };
    case 'maxItems':
      return { type: 'too_long', msg: `List should have at most ${count(params.limit, 'item')}` };
    case 'pattern':
      if (params.pattern === '\\S') return { type: 'value_error', msg: 'Value error, must not be blank' };
      return { type: 'string_pattern_mismatch', msg: `String should match pattern '${params.pattern}'` };
    case 'uniqueItems':
      return { type: 'value_error', msg: 'Value error, items must be unique' };
    default:
      return { type: 'value_error', msg: `Value error, ${error.message ?? 'not valid'}` };
  }
}

function describeType(type: string | string[], data: unknown): { msg: string; type: string } {
  const wanted = Array.isArray(type) ? type[0] : type;
  const fromText = typeof data === 'string';
  switch (wanted) {
    case 'integer':
      if (fromText)
        return { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' };
      if (typeof data === 'number')
        return { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' };
      return { type: 'int_type', msg: 'Input should be a valid integer' };
    case 'number':
      return { type: 'float_type', msg: 'Input should be a valid number' };
    case 'boolean':
      if (fromText) return { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' };
      return { type: 'bool_type', msg: 'Input should be a valid boolean' };
    case 'array':
      return { type: 'list_type', msg: 'Input should be a valid list' };
    case 'object':
      return {
        type: 'model_attributes_type',
        msg: 'Input should be a valid dictionary or object to extract fields from',
      };
    default:
      return { type: 'string_type', msg: 'Input should be a valid string' };
  }
}

function describeFormat(format: string): { msg: string; type: string } {
  switch (format) {
    case 'uuid':
      return { type: 'uuid_parsing', msg: 'Input should be a valid UUID' };
    case 'date-time':
      return { type: 'datetime_parsing', msg: 'Input should be a valid datetime with a timezone' };
    case 'email':
      return { type: 'value_error', msg: 'Value error, not a valid email address' };
    case 'timezone':
      return { type: 'value_error', msg: 'Value error, not a known time zone' };
    case 'fqdn':
      return { type: 'value_error', msg: 'Value error, not a host name such as blog.example.com' };
    case 'host':
      return {
        type: 'value_error',
        msg: 'Value error, not a host name such as blog.example.com or blog.example.com:8443',
      };
    case 'line':
      return { type: 'value_error', msg: 'Value error, must be one line, not blank and without control characters' };
    default:
      return { type: 'value_error', msg: `Value error, not a valid ${format}` };
  }
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/**
 * Postgres keeps no NUL in text and no half of a surrogate pair; neither is text, so it is the caller's fault. Only what
 * the schema knows is looked at: the rest is ignored anyway.
 */
function* findBadText(part: Part, input: unknown, properties: Properties): Generator<Fault> {
  if (typeof input !== 'object' || input === null) return;
  for (const [name] of properties) {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === 'string' && !isText(value)) yield notText([part, name]);
    if (!Array.isArray(value)) continue;
    for (const [index, item] of value.entries())
      if (typeof item === 'string' && !isText(item)) yield notText([part, name, index]);
  }
}

const isText = (text: string) => !text.includes('\0') && text.isWellFormed();

const notText = (loc: (string | number)[]): Fault => ({
  loc,
  msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
  type: 'string_unicode',
});
