import { all, make } from './dom.ts';

/** A window in which one operation can be called, with the session of whoever is signed in. */
export function openCall(section: HTMLElement, known: Record<string, string | undefined>): void {
  const { id = '', method = 'GET', path = '' } = section.dataset;
  const inputs = all('[data-in=path], [data-in=query]', section).map((row) => {
    const name = row.dataset.name ?? '';
    const field = make('input', { name, autocomplete: 'off', value: known[name] ?? '' });
    field.required = row.dataset.in === 'path' || row.dataset.required !== undefined;
    field.dataset.in = row.dataset.in ?? '';
    return make('label', {}, make('span', {}, name), field);
  });
  const hasBody = section.querySelector('[data-body]') !== null;
  const body = make('textarea', { name: 'body', rows: '10', spellcheck: 'false' });
  if (hasBody) body.value = sampleBody(section);
  const send = make('button', { type: 'submit', class: 'button' }, `Send ${method}`);
  const close = make('button', { type: 'button', class: 'button quiet' }, 'Close');
  const output = make('pre', { tabindex: '0', 'aria-live': 'polite' });
  output.hidden = true;
  const note =
    method === 'GET'
      ? 'It is sent from this page with your session, and only reads.'
      : 'It is sent from this page with your session, and really does what it says.';
  const form = make(
    'form',
    {},
    make('h2', { id: 'try-title' }, id),
    make('p', { class: 'address' }, `${method} ${path}`),
    make('p', { class: 'facts' }, note),
    ...inputs,
    ...(hasBody ? [make('label', {}, make('span', {}, 'Body'), body)] : []),
    make('p', { class: 'starts' }, send, close),
    output,
  );
  const dialog = make('dialog', { class: 'call', 'aria-labelledby': 'try-title' }, form);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    const fields = inputs.map((label) => label.querySelector('input') as HTMLInputElement);
    output.textContent = await call(method, addressOf(path, fields), hasBody ? body.value : undefined);
    output.hidden = false;
    send.disabled = false;
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** The body of the example on the page, with the values that were filled in. */
function sampleBody(section: HTMLElement): string {
  const text = section.querySelector('.example code')?.textContent ?? '';
  return /--json '([\s\S]*)'/.exec(text)?.[1]?.replaceAll(/'(\$\w+)'/g, '$1') ?? '{}';
}

function addressOf(path: string, fields: readonly HTMLInputElement[]): string {
  const inPath = (name: string) =>
    fields.find((field) => field.name === name && field.dataset.in === 'path')?.value ?? '';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath(name)));
  const query = new URLSearchParams();
  for (const field of fields) if (field.dataset.in === 'query' && field.value) query.append(field.name, field.value);
  return query.size > 0 ? `${filled}?${query}` : filled;
}

async function call(method: string, address: string, body: string | undefined): Promise<string> {
  const began = performance.now();
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    const init: RequestInit = { method, headers, credentials: 'same-origin', ...(body !== undefined && { body }) };
    const answer = await fetch(address, init);
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      await answer.body?.cancel();
      return `${answer.status}, a stream that goes on`;
    }
    const text = await answer.text();
    const shown = ['operation-id', 'link', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value ? [`${name}: ${value}`] : [];
    });
    return [`${answer.status} in ${Math.round(performance.now() - began)} ms`, ...shown, '', pretty(text)].join('\n');
  } catch (error) {
    return `It did not get through: ${error}`;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
