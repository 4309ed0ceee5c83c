import { useEffect, useRef, useSyncExternalStore } from 'react';
import { cx } from './cx.ts';
import { CheckCircleIcon, CloseIcon, WarningIcon } from './icons.ts';

type Note = { id: number; text: string; failed: boolean };

const LIMIT = 3;
let notes: readonly Note[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function change(next: readonly Note[]): void {
  notes = next;
  for (const tell of watchers) tell();
}

const dismiss = (id: number) => change(notes.filter((note) => note.id !== id));

function add(text: string, failed: boolean): void {
  lastId++;
  // What was done twice is said once.
  change([...notes.filter((note) => note.text !== text), { id: lastId, text, failed }].slice(-LIMIT));
}

export const toast = {
  success: (text: string) => add(text, false),
  error: (text: string) => add(text, true),
};

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

/** What is told of in passing, at the edge of the window, above whatever is modal. */
export function Toasts() {
  const shown = useSyncExternalStore(watch, () => notes);
  const place = useRef<HTMLElement>(null);
  const last = shown.at(-1)?.id;
  useEffect(() => {
    // Shown anew, so that it lies over a dialog that opened meanwhile.
    place.current?.hidePopover();
    if (last !== undefined) place.current?.showPopover();
  }, [last]);
  return (
    <section
      ref={place}
      popover="manual"
      aria-label="Notifications"
      className="fixed inset-auto right-4 bottom-4 left-4 m-0 flex-col gap-2 overflow-visible bg-transparent p-0 open:flex sm:left-auto sm:w-88"
    >
      {shown.map((note) => (
        <Shown key={note.id} note={note} />
      ))}
    </section>
  );
}

function Shown({ note: { id, text, failed } }: { note: Note }) {
  const Icon = failed ? WarningIcon : CheckCircleIcon;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stay = () => clearTimeout(timer.current);
  const go = () => {
    stay();
    timer.current = setTimeout(() => dismiss(id), failed ? 8000 : 4000);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it appears.
  useEffect(() => {
    go();
    return stay;
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: whoever looks at it is not doing anything to it.
    <div
      role={failed ? 'alert' : 'status'}
      // Whoever reads it, or is about to close it, has time.
      onPointerEnter={stay}
      onPointerLeave={go}
      onFocus={stay}
      onBlur={go}
      className="popup flex items-start gap-3 rounded-xl py-3 pr-2 pl-4"
    >
      <Icon className={cx('mt-0.5', failed ? 'text-danger-text' : 'text-accent-text')} />
      <p className="min-w-0 flex-1 break-words text-sm">{text}</p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(id)}
        className="-my-1 grid size-8 place-items-center rounded-lg text-muted hover:text-fg"
      >
        <CloseIcon />
      </button>
    </div>
  );
}
