import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODELS = join(import.meta.dirname, '../../node_modules/@kubernetes/client-node/dist/gen/models');
const GROUPS = ['v1', 'v2'];

type Fields = Map<string, { type: string; isRequired: boolean }>;
const known = new Map<string, Fields>();

/**
 * What is wrong with an object by the schemas of the Kubernetes that @kubernetes/client-node was generated for: fields that it does not know, that are
 * missing, or that are of another type. The schemas are read where the client declares them, so they are as current as the client, and nothing of them has to be kept here.
 */
export function faultsOf(manifest: { apiVersion: string; kind: string }): string[] {
  const version = manifest.apiVersion.split('/').at(-1) as string;
  if (!GROUPS.includes(version)) return [`${manifest.apiVersion} is no version to rely on`];
  const model = `V${version.slice(1)}${manifest.kind}`;
  const core = `Core${model}`;
  return faults(manifest, existsSync(join(MODELS, `${model}.d.ts`)) ? model : core, manifest.kind);
}

function faults(value: unknown, type: string, at: string): string[] {
  const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
  if (item) {
    if (!Array.isArray(value)) return [`${at} must be a list`];
    return value.flatMap((each, index) => faults(each, item, `${at}[${index}]`));
  }
  const [, entry] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
  if (entry) {
    if (!isMap(value)) return [`${at} must be a map`];
    return Object.entries(value).flatMap(([key, each]) => faults(each, entry, `${at}.${key}`));
  }
  if (type === 'any') return [];
  if (type === 'IntOrString')
    return ['number', 'string'].includes(typeof value) ? [] : [`${at} must be a number or text`];
  if (['string', 'number', 'boolean'].includes(type)) return typeof value === type ? [] : [`${at} must be a ${type}`];
  return faultsOfMap(value, fieldsOf(type), at);
}

function faultsOfMap(value: unknown, fields: Fields, at: string): string[] {
  if (!isMap(value)) return [`${at} must be a map`];
  const missing = [...fields].filter(([name, { isRequired }]) => isRequired && value[name] === undefined);
  return [
    ...missing.map(([name]) => `${at}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const field = fields.get(name);
      return field ? faults(each, field.type, `${at}.${name}`) : [`${at}.${name} is not known`];
    }),
  ];
}

function fieldsOf(model: string): Fields {
  const before = known.get(model);
  if (before) return before;
  const source = readFileSync(join(MODELS, `${model}.d.ts`), 'utf8').replaceAll(/\s+/g, ' ');
  const declared = source.matchAll(/ '([\w$-]+)'(\?)?: ((?:\{ \[key: string\]: .+?; \})|[^;]+);/g);
  const fields: Fields = new Map(
    [...declared].map(([, name, optional, type]) => [
      fieldName(name as string),
      { type: type as string, isRequired: !optional },
    ]),
  );
  if (fields.size === 0) throw new Error(`${model} declares no fields as they were declared`);
  known.set(model, fields);
  return fields;
}

/** The client gives words of the language a name of their own. */
function fieldName(name: string): string {
  return name.replace(/^_/, '');
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
