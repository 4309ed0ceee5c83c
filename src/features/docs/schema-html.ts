import { escapeHtml } from '#core/escape-html.ts';
import { type ApiDocument, nameOf, type Parameter, type Schema } from './api-document.ts';
import { inline } from './html.ts';

const DEPTH = 3;

/** A list of fields, each with its type and what it means; what is an object of its own can be opened. */
export function fieldsHtml(api: ApiDocument, schema: Schema, showsRequired: boolean, depth = 0): string {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fieldHtml(api, name, field, showsRequired && required.has(name), showsRequired, depth),
  );
  return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : '';
}

export function parametersHtml(api: ApiDocument, parameters: readonly Parameter[]): string {
  const rows = parameters.map((each) => {
    const data = `data-in="${each.in}" data-name="${escapeHtml(each.name)}"${each.required ? ' data-required' : ''}`;
    return fieldHtml(
      api,
      each.name,
      { ...each.schema, ...(each.description && { description: each.description }) },
      each.required,
      true,
      DEPTH,
      data,
    );
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

function fieldHtml(
  api: ApiDocument,
  name: string,
  field: Schema,
  isRequired: boolean,
  showsRequired: boolean,
  depth: number,
  data = '',
): string {
  const inner = field.properties ? field : field.items?.properties ? field.items : undefined;
  const more =
    inner && depth < DEPTH
      ? `<details><summary>Fields of ${escapeHtml(name)}</summary>${fieldsHtml(api, inner, showsRequired, depth + 1)}</details>`
      : '';
  return (
    `<li ${data}><p class="field"><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(field)}</span>` +
    `${isRequired ? ' <span class="required">required</span>' : ''}</p>` +
    `${field.description ? `<p>${inline(field.description)}</p>` : ''}${factsHtml(field)}${more}</li>`
  );
}

/** What kind of value it is, with a link where it is an object that has a name. */
export function typeHtml(schema: Schema): string {
  if (schema.$ref) return objectLink(nameOf(schema.$ref));
  if (schema.items) return `list of ${typeHtml(schema.items)}`;
  const types = [schema.type ?? 'any value'].flat();
  const words = types
    .filter((type) => type !== 'null')
    .map((type) => (schema.format && type === 'string' ? (FORMATS[schema.format] ?? type) : type));
  return escapeHtml([...words, ...(types.includes('null') ? ['null'] : [])].join(' or '));
}

const FORMATS: Record<string, string> = {
  uuid: 'uuid',
  'date-time': 'moment',
  email: 'email address',
  fqdn: 'host name',
  host: 'host name',
  uri: 'address',
};

export const objectLink = (name: string): string => `<a href="/docs/reference/objects#${name}">${escapeHtml(name)}</a>`;

function factsHtml({ enum: values, default: usual, maximum, minimum, maxLength }: Schema): string {
  const range =
    minimum !== undefined && maximum !== undefined && maximum < 1e8
      ? [`${minimum} to ${maximum}`]
      : maxLength !== undefined && maxLength < 1e5
        ? [`at most ${maxLength} characters`]
        : [];
  const facts = [
    ...(values ? [`One of ${values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ')}`] : []),
    ...range,
    ...(usual !== undefined ? [`default <code>${escapeHtml(JSON.stringify(usual))}</code>`] : []),
  ];
  return facts.length > 0 ? `<p class="facts">${facts.join('; ')}</p>` : '';
}
