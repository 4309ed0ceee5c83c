import type { Terminal } from '@xterm/xterm';
import { cx } from '../ui/cx.ts';

/** Keys that a keyboard on glass lacks. `Ctrl` counts for the next key. */
const KEYS = [
  { label: 'Esc', keys: '\x1b' },
  { label: 'Tab', keys: '\t' },
  { label: 'Ctrl-C', keys: '\x03' },
  { label: '←', name: 'Left', cursor: 'D' },
  { label: '↑', name: 'Up', cursor: 'A' },
  { label: '↓', name: 'Down', cursor: 'B' },
  { label: '→', name: 'Right', cursor: 'C' },
  { label: '|', keys: '|' },
  { label: '/', keys: '/' },
  { label: '-', keys: '-' },
] as const;

type KeyBarProps = {
  terminal: Terminal | undefined;
  isCtrl: boolean;
  onCtrl: (isOn: boolean) => void;
};

export function KeyBar({ terminal, isCtrl, onCtrl }: KeyBarProps) {
  const press = (key: (typeof KEYS)[number]) => {
    if (!terminal) return;
    // Programs that fill the screen have the arrows say something else.
    const arrow = terminal.modes.applicationCursorKeysMode ? '\x1bO' : '\x1b[';
    terminal.input('cursor' in key ? `${arrow}${key.cursor}` : key.keys);
    terminal.focus();
  };
  const style =
    'h-10 min-w-10 shrink-0 rounded-lg border border-line-strong bg-surface px-2.5 font-mono text-fg text-sm';
  return (
    // On glass alone, where focus must stay in the terminal or the keyboard would go away.
    <div
      role="toolbar"
      aria-label="Keys"
      className="hidden gap-1.5 overflow-x-auto pt-2 any-pointer-coarse:flex"
      onPointerDown={(event) => event.preventDefault()}
    >
      <button
        type="button"
        aria-pressed={isCtrl}
        className={cx(style, isCtrl && 'border-accent bg-accent text-accent-fg')}
        onClick={() => {
          onCtrl(!isCtrl);
          terminal?.focus();
        }}
      >
        Ctrl
      </button>
      {KEYS.map((key) => (
        <button
          key={key.label}
          type="button"
          aria-label={'name' in key ? key.name : undefined}
          className={style}
          onClick={() => press(key)}
        >
          {key.label}
        </button>
      ))}
    </div>
  );
}

/** What a letter means with Ctrl held. */
export function withCtrl(text: string): string {
  const code = text.toUpperCase().charCodeAt(0);
  return text.length === 1 && code >= 64 && code < 96 ? String.fromCharCode(code - 64) : text;
}
