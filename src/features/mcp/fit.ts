/** What a model is shown of an answer, in characters of JSON. More would crowd out what it was asked. */
export const MAX_ANSWER = 60_000;
const MAX_TEXT = 8_000;

export interface Fitted {
  value: unknown;
  /** What was left out, and how to get at it; undefined where nothing was. */
  hint: string | undefined;
}

/** The answer, or as much of it as fits: long texts lose their middle and long lists their end, so that it keeps its shape. */
export function fit(answer: unknown): Fitted {
  if (sizeOf(answer) <= MAX_ANSWER) return { value: answer, hint: undefined };
  let value = answer;
  for (
    let texts = MAX_TEXT, items = 1024;
    sizeOf(value) > MAX_ANSWER && items > 0;
    texts /= 2, items = Math.floor(items / 2)
  )
    value = cut(answer, Math.max(100, Math.floor(texts)), items);
  return { value, hint: hintFor(answer, value) };
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

function cut(value: unknown, texts: number, items: number): unknown {
  if (typeof value === 'string') return cutText(value, texts);
  if (Array.isArray(value)) return value.slice(0, items).map((each) => cut(each, texts, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, texts, items)]));
}

function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half)} […${text.length - 2 * half} characters left out…] ${text.slice(-half)}`;
}

function hintFor(before: unknown, after: unknown): string {
  const [had, has] = [pageOf(before), pageOf(after)];
  if (had === undefined || has === undefined || had === has)
    return 'This answer was too long and is cut: long texts lost their middle, long lists their end. Ask for less at a time.';
  return `This answer was too long and is cut: ${has} of the ${had} results of this page are shown. Ask with size=${Math.max(1, has)} and the next page for the others.`;
}

function pageOf(value: unknown): number | undefined {
  const { results } = (value ?? {}) as { results?: unknown };
  return Array.isArray(results) ? results.length : undefined;
}
