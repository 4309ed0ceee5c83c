import { make } from './dom.ts';

interface Found {
  title: string;
  heading: string;
  address: string;
  excerpt: string;
}

const PAUSE_MS = 120;
const SHOWN = 8;

/** Shows results below the field while somebody types; without it the form leads to a page with them. */
export function offerSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form.find');
  const field = form?.querySelector('input');
  const box = form?.querySelector<HTMLElement>('.found');
  if (!form || !field || !box) return;
  const hint = form.querySelector('kbd');
  if (hint) hint.hidden = false;
  let asked: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    box.hidden = true;
  };
  const look = async () => {
    asked?.abort();
    const words = field.value.trim();
    if (words.length < 2) return close();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const headers = { accept: 'application/json' };
      const answer = await fetch(`/docs/search?q=${encodeURIComponent(words)}`, { headers, signal });
      if (!answer.ok) return close();
      const { results } = (await answer.json()) as { results: Found[] };
      box.replaceChildren(
        ...(results.length > 0 ? results.slice(0, SHOWN).map(toRow) : [make('p', {}, 'Nothing says that.')]),
      );
      box.hidden = document.activeElement !== field && !box.contains(document.activeElement);
    } catch {
      // Overtaken by the next letter, or offline: the form still leads to the page.
    }
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE_MS);
  });
  field.addEventListener('focus', () => {
    if (box.childElementCount > 0 && field.value.trim().length >= 2) box.hidden = false;
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return leave(field, close);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [field, ...box.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement as HTMLInputElement);
    const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
    if (!next || box.hidden) return;
    event.preventDefault();
    next.focus();
  });
  addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.matches('input, textarea, select, [contenteditable]');
    const isKey = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey));
    if (!isKey || (isTyping && event.key === '/')) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

function leave(field: HTMLInputElement, close: () => void): void {
  close();
  field.focus();
}

function toRow({ title, heading, address, excerpt }: Found): HTMLElement {
  const where = make('span', { class: 'where' }, heading ? title : 'Guide');
  return make(
    'a',
    { href: address },
    make('b', {}, heading || title),
    where,
    make('span', { class: 'excerpt' }, excerpt),
  );
}
