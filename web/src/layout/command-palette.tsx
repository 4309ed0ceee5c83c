import { Suspense, useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { dialogPanel } from '../ui/dialog.tsx';
import { SearchIcon } from '../ui/icons.ts';
import { Modal } from '../ui/modal.tsx';
import { visit } from '../visit.ts';
import { lazyView } from './lazy-view.ts';

const CommandList = lazyView(() => import('./command-list.tsx').then((it) => it.CommandList));

const openers = new Set<() => void>();
const isMac = () => /Mac|iP(hone|ad)/.test(visit().userAgent);

/** Opens the palette from a side bar, for whoever does not know the key. */
export function CommandButton({ compact }: { compact?: boolean }) {
  const open = () => {
    for (const tell of openers) tell();
  };
  if (compact)
    return (
      <Button variant="ghost" size="icon" aria-label="Search" onClick={open} onPointerEnter={CommandList.preload}>
        <SearchIcon />
      </Button>
    );
  return (
    <button
      type="button"
      onClick={open}
      onPointerEnter={CommandList.preload}
      className="flex h-8.5 shrink-0 items-center gap-2.5 rounded-lg border border-line bg-surface px-2.5 text-left text-muted text-sm hover:border-line-strong"
    >
      <SearchIcon className="size-4" /> Search
      <kbd className="ml-auto font-sans text-xs">{isMac() ? '⌘' : 'Ctrl '}K</kbd>
    </button>
  );
}

/** Ctrl or Cmd and K, from everywhere: sites, pages, actions and the docs. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const onKey = (event: KeyboardEvent) => {
      // One goes on to type at once, so it is there by then.
      if (event.key === 'Control' || event.key === 'Meta') void CommandList.preload();
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    openers.add(open);
    addEventListener('keydown', onKey);
    return () => {
      openers.delete(open);
      removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <Modal
      open={isOpen}
      onOpenChange={setOpen}
      title="palette"
      className="grid items-start justify-items-center p-3 sm:pt-[14vh]"
    >
      <div className={`${dialogPanel} max-w-xl overflow-hidden`}>
        <h2 id="palette" className="sr-only">
          Search
        </h2>
        <Suspense fallback={<div className="h-80" />}>
          <CommandList.View onDone={() => setOpen(false)} />
        </Suspense>
      </div>
    </Modal>
  );
}
