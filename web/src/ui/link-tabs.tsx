import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { bringIntoView } from './tabs.tsx';

type LinkTabsProps = { label: string; links: (LinkProps & { label: string })[] };

/** Pages that belong together, in a row under their heading. On a small screen the row scrolls sideways and fades at its end. */
export function LinkTabs({ label, links }: LinkTabsProps) {
  const { pathname } = useLocation();
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what makes another one active, and those before it may come later.
  useEffect(() => {
    const active = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (row.current && active) bringIntoView(row.current, active);
  }, [pathname, links.length]);
  return (
    <nav aria-label={label} className="-mx-4 mb-6 border-line border-b sm:mx-0">
      <div
        ref={row}
        className="overflow-x-auto overflow-y-hidden px-4 [scrollbar-width:none] max-sm:mask-[linear-gradient(to_right,#000_calc(100%_-_3.5rem),transparent)] sm:px-0"
      >
        <ul className="relative flex w-max gap-1 max-sm:pr-10">
          {links.map(({ label: text, ...to }) => (
            <li key={text}>
              <Link
                {...to}
                activeOptions={{ exact: true, includeSearch: false }}
                className="flex h-10 select-none items-center whitespace-nowrap rounded-t-lg border-transparent border-b-2 px-3 font-medium text-muted text-sm hover:text-fg focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-fg"
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  );
}
