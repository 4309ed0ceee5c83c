import type { Failure } from '#core/errors.ts';
import { escapeHtml } from '#core/escape-html.ts';
import type { Effect } from '#core/http/operation.ts';
import { type ApiDocument, type Described, nameOf, resolve } from './api-document.ts';
import { inline, toWords } from './html.ts';
import { codeBlock } from './markdown.ts';
import { curlOf } from './sample.ts';
import { fieldsHtml, objectLink, parametersHtml, typeHtml } from './schema-html.ts';

/** What the OpenAPI document does not say of an operation, or not so plainly. */
export interface About {
  failures: readonly Failure[];
  effect: Effect;
  goesOn: boolean;
}

const EFFECTS: Record<Effect, string> = {
  read: 'Only reads.',
  plan: 'Plans, and changes nothing.',
  change: 'Changes something.',
  destroy: 'Takes something away.',
};

export const badge = (method: string): string => `<span class="method m-${method.toLowerCase()}">${method}</span>`;

/** One operation: what it is on the left, how to call it on the right. */
export function operationHtml(api: ApiDocument, operation: Described, { failures, effect, goesOn }: About): string {
  const { operationId, path, method, summary, parameters } = operation;
  const heads = parameters.filter((each) => each.in === 'header');
  const places = [
    ['Path', parameters.filter((each) => each.in === 'path')],
    ['Query', parameters.filter((each) => each.in === 'query')],
    ['Headers', heads],
  ] as const;
  const tables = places.flatMap(([name, list]) =>
    list.length > 0 ? [`<h3>${name}</h3>${parametersHtml(api, list)}`] : [],
  );
  return (
    `<section class="operation" data-id="${operationId}" data-method="${method}" data-path="${escapeHtml(path)}">` +
    `<div class="what"><h2 id="${operationId}"><a class="anchor" href="#${operationId}">${escapeHtml(toWords(operationId))}</a></h2>` +
    `<p class="address">${badge(method)}<code>${escapeHtml(path)}</code></p><p>${inline(summary)}.</p>` +
    `<p class="facts">${EFFECTS[effect]}${goesOn ? ' Goes on after its answer.' : ''} ${inline(operation.description)}${operation['x-assistant-enabled'] ? ' The assistant can use it.' : ''}</p>` +
    `${tables.join('')}${bodyHtml(api, operation)}${answerHtml(api, operation)}${errorsHtml(failures)}</div>` +
    `<div class="example"><p class="label">${operationId}</p>${codeBlock(curlOf(api, path, method, operation), 'sh')}` +
    '<button type="button" class="try" hidden>Try it</button></div></section>'
  );
}

function bodyHtml(api: ApiDocument, { requestBody }: Described): string {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!content) return '';
  const schema = resolve(api, content.schema);
  const fields =
    fieldsHtml(api, schema, true) || `<p class="facts">Bytes, as <code>${escapeHtml(String(type))}</code></p>`;
  return `<h3>Body</h3><div data-body="${escapeHtml(String(type))}">${fields}</div>`;
}

function answerHtml(api: ApiDocument, { responses }: Described): string {
  const [status, answer] = Object.entries(responses).find(([each]) => Number(each) < 400) ?? [];
  const [type, content] = Object.entries(answer?.content ?? {})[0] ?? [];
  const inner = () => {
    if (!content) return `<p class="facts">${inline(answer?.description ?? 'Nothing')}</p>`;
    if (type !== 'application/json') return `<p class="facts"><code>${escapeHtml(String(type))}</code></p>`;
    const schema = content.schema;
    if (!schema.$ref) return fieldsHtml(api, schema, false) || `<p class="facts">${typeHtml(schema)}</p>`;
    const name = nameOf(schema.$ref);
    const item = /^(\w+)Page$/.exec(name)?.[1];
    const words =
      item && api.components.schemas[item] ? `A page of ${objectLink(item)} (${objectLink(name)})` : objectLink(name);
    return `<p class="facts">${words}</p>`;
  };
  return `<h3>Answer <span class="status">${status}</span></h3>${inner()}`;
}

/** What every operation can answer with is said once, on the page of errors. */
function errorsHtml(failures: readonly Failure[]): string {
  const rows = failures.map(
    ({ status, code }) =>
      `<li><span class="status">${status}</span> <a href="/docs/errors#${code}"><code>${code}</code></a></li>`,
  );
  return `<details class="errors"><summary>${rows.length} errors</summary><ul>${rows.join('')}</ul></details>`;
}
