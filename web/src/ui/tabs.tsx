import { type ReactNode, useEffect, useId, useRef } from 'react';

export type Tab = { value: string; label: string; content: ReactNode };

type TabsProps = { tabs: Tab[]; value: string; onValueChange: (value: string) => void };

/** On a small screen the row of tabs scrolls sideways and fades at its end, so that it shows that there is more. */
export function Tabs({ tabs, value, onValueChange }: TabsProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const active = row.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`);
    if (row.current && active) bringIntoView(row.current, active);
  }, [value]);
  const id = useId();
  const current = tabs.find((tab) => tab.value === value) ?? tabs[0];
  function moveByKey(event: KeyboardEvent) {
    const at = tabs.indexOf(current as Tab);
    const next = {
      ArrowRight: tabs[(at + 1) % tabs.length],
      ArrowLeft: tabs.at(at - 1),
      Home: tabs[0],
      End: tabs.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    row.current?.querySelector<HTMLElement>(`[data-tab="${next.value}"]`)?.focus();
    onValueChange(next.value);
  }
  return (
    <div>
      <div className="-mx-4 border-line border-b sm:mx-0">
        <div
          ref={row}
          className="overflow-x-auto overflow-y-hidden px-4 [scrollbar-width:none] max-sm:pr-10 max-sm:mask-[linear-gradient(to_right,#000_calc(100%_-_3.5rem),transparent)] sm:px-0"
        >
          <div role="tablist" className="relative flex w-max gap-1" onKeyDown={moveByKey}>
            {tabs.map((tab) => (
              <button
                key={tab.value}
                type="button"
                role="tab"
                id={`${id}-${tab.value}`}
                aria-selected={tab === current}
                aria-controls={tab === current ? `${id}-panel` : undefined}
                tabIndex={tab === current ? 0 : -1}
                data-tab={tab.value}
                onClick={() => onValueChange(tab.value)}
                className="h-10 select-none whitespace-nowrap rounded-t-lg border-transparent border-b-2 px-3 font-medium text-muted text-sm hover:text-fg focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:text-fg"
              >
                {tab.label}
              </button>
            ))}
          </div>
        </div>
      </div>
      {current && (
        <div
          key={current.value}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${current.value}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what is in it may have nothing to stop at.
          tabIndex={0}
          className="rounded-lg pt-6 outline-offset-4"
        >
          {current.content}
        </div>
      )}
    </div>
  );
}

/** As little as needed, and clear of the faded end. scrollIntoView would move the page as well. */
export function bringIntoView(row: HTMLElement, active: HTMLElement): void {
  const fadePx = 56;
  const excess = active.offsetLeft + active.offsetWidth + fadePx - row.clientWidth;
  if (active.offsetLeft < row.scrollLeft) row.scrollLeft = active.offsetLeft;
  else if (excess > row.scrollLeft) row.scrollLeft = excess;
}
