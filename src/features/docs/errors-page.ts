import type { Failure } from '#core/errors.ts';
import { escapeHtml } from '#core/escape-html.ts';
import type { DocsPage } from '#core/http/front-end.ts';
import { ADVICE, ADVICE_BY_STATUS } from './error-advice.ts';
import { inline, toSlug, toWords } from './html.ts';
import { type Around, layOut } from './layout.ts';
import type { Entry } from './search.ts';

/** A code as the page shows it: some are said with several sentences, by several operations. */
export interface ErrorCode {
  code: string;
  statuses: number[];
  sentences: string[];
  operations: { id: string; tag: string }[];
}

/** Every code that there is, and which operations declare it. */
export function errorCodes(
  operations: readonly { id: string; tag: string; failures: readonly Failure[] }[],
  others: readonly Failure[],
): ErrorCode[] {
  const codes = new Map<string, ErrorCode>();
  const add = ({ code, status, sentence }: Failure, operation?: { id: string; tag: string }) => {
    const known = codes.get(code) ?? { code, statuses: [], sentences: [], operations: [] };
    codes.set(code, known);
    if (!known.statuses.includes(status)) known.statuses.push(status);
    if (!known.sentences.includes(sentence)) known.sentences.push(sentence);
    if (operation) known.operations.push(operation);
  };
  for (const { id, tag, failures } of operations) for (const failure of failures) add(failure, { id, tag });
  for (const failure of others) add(failure);
  return [...codes.values()].sort((a, b) => a.code.localeCompare(b.code));
}

const LEAD =
  'What went wrong is in the answer: <code>detail</code> has a sentence for people, <code>code</code> a word for programs. ' +
  'The <code>Link</code> header of every refusal leads to its entry here. <a href="/docs/api#errors">How errors look</a>';

export function errorsPage(codes: readonly ErrorCode[], operationCount: number, around: Around): DocsPage {
  const families = [...Map.groupBy(codes, ({ code }) => code.split('.')[0] as string)];
  const html = families.map(([family, list]) => {
    const entries = list.map((each) => entryHtml(each, operationCount));
    return `<section><h2 id="of-${family}">${escapeHtml(toWords(family))}</h2>${entries.join('')}</section>`;
  });
  const toc = families.map(([family]) => ({ heading: toWords(family), anchor: `of-${family}`, level: 2 }));
  const description = `All ${codes.length} error codes of the API, what each means and which operations answer with it.`;
  return layOut(around, {
    path: '/docs/errors',
    title: 'Errors',
    lead: LEAD,
    description,
    html: html.join(''),
    toc,
    kind: 'list',
  });
}

export function errorEntries(codes: readonly ErrorCode[]): Entry[] {
  return codes.map(({ code, sentences }) => ({
    title: 'Errors',
    heading: code,
    address: `/docs/errors#${code}`,
    text: `${sentences.join(' ')} ${ADVICE[code] ?? ''}`,
  }));
}

function entryHtml({ code, statuses, sentences, operations }: ErrorCode, operationCount: number): string {
  const advice = ADVICE[code] ?? ADVICE_BY_STATUS[statuses[0] as number];
  return (
    `<section class="error" id="${code}"><h3><a class="anchor" href="#${code}"><code>${code}</code></a> ` +
    `${statuses.map((status) => `<span class="status">${status}</span>`).join(' ')}</h3>` +
    `${sentences.map((sentence) => `<p>${inline(sentence)}</p>`).join('')}${advice ? `<p class="facts">${inline(advice)}</p>` : ''}` +
    `${whoHtml(operations, operationCount)}</section>`
  );
}

function whoHtml(operations: ErrorCode['operations'], operationCount: number): string {
  if (operations.length === 0)
    return '<p class="who">Not by an operation: on the way to one, or at an address of its own.</p>';
  if (operations.length === operationCount) return '<p class="who">Every operation.</p>';
  const links = operations.map(
    ({ id, tag }) => `<a href="/docs/reference/${toSlug(tag)}#${id}">${escapeHtml(toWords(id))}</a>`,
  );
  if (links.length <= 4) return `<p class="who">${links.join(', ')}</p>`;
  return `<details class="who"><summary>${links.length} operations</summary><p>${links.join(', ')}</p></details>`;
}
