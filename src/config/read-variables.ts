import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { Variables } from './variables.ts';

export type Env = Record<string, string | undefined>;

/** What of a schema is read here. */
interface Described {
  type?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Described & TSchema;
  separator?: string;
  must?: string;
  is?: string;
}

/** Turns the text of the environment into what the schema says, and adds to the faults what is wrong. Nothing is as good as blanks. */
export function readVariables(env: Env, faults: string[]): Variables {
  const read = Object.entries(Variables.properties).map(([name, property]) => {
    const schema = property as Described & TSchema;
    const given = env[name]?.trim() || undefined;
    const value = given === undefined ? schema.default : toValue(schema, given);
    if (value !== undefined) faults.push(...findFaults(name, schema, value));
    return [name, value];
  });
  return Object.fromEntries(read);
}

function toValue({ type, separator }: Described, given: string): unknown {
  if (type === 'number') return Number(given);
  if (type !== 'array') return given;
  const entries = separator ? given.split(separator) : given.split(/[,\s]+/);
  return entries.map((entry) => entry.trim()).filter(Boolean);
}

function findFaults(name: string, schema: Described & TSchema, value: unknown): string[] {
  if (Check(schema, value)) return [];
  const { items } = schema;
  if (!items?.is) return [`${name} must ${mustOf(schema)}`];
  const wrong = (value as string[]).filter((entry) => !Check(items, entry));
  return wrong.map((entry) => `${name} has '${entry}', which is no ${items.is}`);
}

function mustOf({ must, type, minimum, maximum, enum: words, minLength, maxLength }: Described): string {
  if (must) return must;
  if (type === 'number') return `be a number from ${minimum} to ${maximum}`;
  if (words) return `be one of ${words.join(', ')}`;
  if (minLength !== undefined && maxLength !== undefined) return `have ${minLength} to ${maxLength} characters`;
  return minLength !== undefined ? `have at least ${minLength} characters` : `have at most ${maxLength} characters`;
}
