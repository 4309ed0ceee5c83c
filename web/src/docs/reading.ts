import { all } from './dom.ts';

/** Marks in the list of headings which of them is being read. */
export function followReading(): void {
  const links = new Map(all<HTMLAnchorElement>('aside.toc a').map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((each) => each !== null);
  if (headings.length === 0) return;
  const mark = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4);
    const isEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const current = isEnd && scrollY > 0 ? headings.at(-1) : (passed.at(-1) ?? headings[0]);
    for (const [id, link] of links) {
      if (id === current?.id) show(link);
      else link.removeAttribute('aria-current');
    }
  };
  let waits = false;
  addEventListener(
    'scroll',
    () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

/** Also in a list that is longer than the window. */
function show(link: HTMLAnchorElement): void {
  if (link.hasAttribute('aria-current')) return;
  link.setAttribute('aria-current', 'location');
  const list = link.closest<HTMLElement>('aside.toc');
  if (list) list.scrollTop = Math.max(0, link.offsetTop - list.clientHeight / 2);
}
