import {
  cloneElement,
  createContext,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { cx } from './cx.ts';
import { CheckIcon } from './icons.ts';

const item =
  'flex min-h-8 any-pointer-coarse:min-h-10 w-full cursor-default! select-none items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left text-sm outline-none aria-disabled:opacity-50';
const plain = 'hover:bg-raised focus-visible:bg-raised';

const CloseContext = createContext(() => {});

type MenuProps = {
  /** A button. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  className?: string;
};

/**
 * A popover of the browser: it opens and closes it with the button, with Escape and with a click elsewhere, and gives the focus back. The arrows are
 * ours.
 */
export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  // Before the next key is heard.
  useLayoutEffect(() => {
    if (isOpen) itemsOf(popup.current)[0]?.focus();
  }, [isOpen]);
  const close = () => popup.current?.hidePopover();
  return (
    <>
      {cloneElement(trigger, {
        popoverTarget: id,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'data-popup-open': isOpen ? '' : undefined,
        onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          event.currentTarget.click();
        },
      })}
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={(event) => moveByKey(event, close)}
        className={cx('popup popover min-w-48 overflow-y-auto p-1.5', className)}
        data-align={align}
        data-side={side}
      >
        {isOpen && <CloseContext value={close}>{children}</CloseContext>}
      </div>
    </>
  );
}

function itemsOf(popup: HTMLElement | null): HTMLElement[] {
  return popup ? [...popup.querySelectorAll<HTMLElement>('[role^=menuitem]')] : [];
}

function moveByKey(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (event.key === 'Tab') {
    close();
    return;
  }
  const next = {
    ArrowDown: items[(at + 1) % items.length],
    ArrowUp: items.at(at - 1),
    Home: items[0],
    End: items.at(-1),
  }[event.key];
  // A letter leads to the next entry that begins with it.
  const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
  const begins = (each: HTMLElement) => each.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase());
  const found = next ?? (isLetter ? [...items.slice(at + 1), ...items].find(begins) : undefined);
  if (!found) return;
  event.preventDefault();
  found.focus();
}

type MenuItemProps = { icon?: ReactNode; danger?: boolean; disabled?: boolean; children: ReactNode } & (
  | { onClick: () => void; download?: undefined }
  /** The address of a file. */
  | { download: string; onClick?: undefined }
);

export function MenuItem({ icon, danger, disabled = false, children, onClick, download }: MenuItemProps) {
  const close = useContext(CloseContext);
  const inside = (
    <>
      <span className={danger ? undefined : 'text-muted'}>{icon}</span>
      {children}
    </>
  );
  const className = cx(item, danger ? 'text-danger-text hover:bg-danger-soft focus-visible:bg-danger-soft' : plain);
  if (download !== undefined)
    return (
      <a role="menuitem" tabIndex={-1} href={download} download onClick={close} className={className}>
        {inside}
      </a>
    );
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabled || undefined}
      onClick={() => {
        if (disabled) return;
        // First, so that the focus is back at the button when a question remembers where it came from.
        close();
        onClick?.();
      }}
      className={className}
    >
      {inside}
    </button>
  );
}

export function MenuSeparator() {
  return <hr className="-mx-1.5 my-1.5 h-px border-0 bg-line" />;
}

type MenuChoiceProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: string; icon: ReactNode }[];
};

export function MenuChoice<T extends string>({ label, value, onChange, options }: MenuChoiceProps<T>) {
  const close = useContext(CloseContext);
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu holds no fieldset.
    <div role="group" aria-labelledby={id}>
      <p id={id} className="px-2.5 pt-1 pb-1 text-muted text-xs">
        {label}
      </p>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          onClick={() => {
            close();
            onChange(option.value);
          }}
          className={cx(item, plain)}
        >
          <span className="text-muted">{option.icon}</span>
          {option.label}
          {option.value === value && <CheckIcon className="ml-auto text-accent-text" />}
        </button>
      ))}
    </div>
  );
}
