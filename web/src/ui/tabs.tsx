import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';

export type Tab = { value: string; label: string; content: ReactNode };

type TabsProps = { tabs: Tab[]; value: string; onValueChange: (value: string) => void };

/** On a small screen the row of tabs scrolls sideways and fades at its end, so that it shows that there is more. */
export function Tabs({ tabs, value, onValueChange }: TabsProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const active = row.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`);
    if (row.current && active) bringIntoView(row.current, active);
  }, [value]);
  return (
    <BaseTabs.Root
      value={value}
      // Base UI also moves on by itself while a tab is not there yet; only the person's choice counts.
      onValueChange={(next, { reason }) => reason === 'none' && onValueChange(String(next))}
    >
      <div className="-mx-4 border-line border-b sm:mx-0">
        <div
          ref={row}
          className="overflow-x-auto overflow-y-hidden px-4 [scrollbar-width:none] max-sm:pr-10 max-sm:mask-[linear-gradient(to_right,#000_calc(100%_-_3.5rem),transparent)] sm:px-0"
        >
          <BaseTabs.List className="relative flex w-max gap-1">
            {tabs.map((tab) => (
              <BaseTabs.Tab
                key={tab.value}
                value={tab.value}
                data-tab={tab.value}
                className="h-10 select-none whitespace-nowrap rounded-t-lg px-3 font-medium text-muted text-sm hover:text-fg focus-visible:-outline-offset-2 data-active:text-fg"
              >
                {tab.label}
              </BaseTabs.Tab>
            ))}
            <BaseTabs.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) rounded-full bg-accent transition-[translate,width] duration-200 ease-out" />
          </BaseTabs.List>
        </div>
      </div>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value} className="rounded-lg pt-6 outline-offset-4">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}

/** As little as needed, and clear of the faded end. scrollIntoView would move the page as well. */
function bringIntoView(row: HTMLElement, active: HTMLElement): void {
  const fadePx = 56;
  const excess = active.offsetLeft + active.offsetWidth + fadePx - row.clientWidth;
  if (active.offsetLeft < row.scrollLeft) row.scrollLeft = active.offsetLeft;
  else if (excess > row.scrollLeft) row.scrollLeft = excess;
}
