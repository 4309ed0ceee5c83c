import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { takeFocus } from '../ui/focus.ts';
import {
  ChevronDownIcon,
  ChevronUpIcon,
  CloseIcon,
  CopyIcon,
  MinusIcon,
  PasteIcon,
  PlusIcon,
  ReaderIcon,
  SearchIcon,
} from '../ui/icons.ts';
import { controlStyle } from '../ui/input.tsx';
import { toast } from '../ui/toast.tsx';
import type { ConnectionState } from './connection.ts';
import type { XtermScreen } from './screen.ts';
import type { TerminalSettings } from './settings.ts';

const WORDS: Record<ConnectionState['kind'], string> = {
  connecting: 'Connecting…',
  open: 'Connected',
  reconnecting: 'Reconnecting…',
  over: 'Ended',
};
const DOTS: Record<ConnectionState['kind'], string> = {
  connecting: 'bg-warn',
  open: 'bg-accent',
  reconnecting: 'bg-warn',
  over: 'bg-muted',
};

type TerminalBarProps = {
  screen: XtermScreen | undefined;
  state: ConnectionState;
  settings: TerminalSettings;
  onChange: (change: Partial<TerminalSettings>) => void;
  action: ReactNode;
};

export function TerminalBar({ screen, state, settings, onChange, action }: TerminalBarProps) {
  const [isSearching, setIsSearching] = useState(false);
  const { fontSize, isForReader } = settings;
  const endSearch = () => {
    setIsSearching(false);
    screen?.endSearch();
    screen?.terminal.focus();
  };
  return (
    <div className="flex flex-wrap items-center gap-y-2 pb-2 max-sm:[&>:is(a,button)]:size-9 sm:gap-x-1">
      <p role="status" className="mr-auto flex items-center gap-2 text-muted sm:pr-2">
        <span aria-hidden="true" className={cx('size-2 rounded-full', DOTS[state.kind])} />
        {WORDS[state.kind]}
      </p>
      <Button variant="ghost" size="icon" aria-label="Copy" onClick={() => screen && copy(screen)}>
        <CopyIcon />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Paste" onClick={() => screen && paste(screen)}>
        <PasteIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Search"
        aria-expanded={isSearching}
        onClick={() => setIsSearching(true)}
      >
        <SearchIcon />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Smaller text"
        onClick={() => onChange({ fontSize: fontSize - 1 })}
      >
        <MinusIcon />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Larger text" onClick={() => onChange({ fontSize: fontSize + 1 })}>
        <PlusIcon />
      </Button>
      <Button
        variant={isForReader ? 'secondary' : 'ghost'}
        size="icon"
        aria-label="Screen reader mode"
        aria-pressed={isForReader}
        onClick={() => onChange({ isForReader: !isForReader })}
      >
        <ReaderIcon />
      </Button>
      {action}
      {isSearching && screen && <SearchBox screen={screen} onClose={endSearch} />}
    </div>
  );
}

function SearchBox({ screen, onClose }: { screen: XtermScreen; onClose: () => void }) {
  const [text, setText] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const find = (direction: 'next' | 'previous', wanted = text) =>
    setIsMissing(wanted !== '' && !screen.find(wanted, direction));
  return (
    <search className="flex w-full items-center gap-1">
      <input
        // It was asked for, to type into it.
        ref={takeFocus}
        type="search"
        aria-label="Search the terminal"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          find('previous', currentTarget.value);
        }}
        onKeyDown={({ key, shiftKey }) => {
          if (key === 'Enter') find(shiftKey ? 'next' : 'previous');
          if (key === 'Escape') onClose();
        }}
        autoComplete="off"
        spellcheck={false}
        className={cx(controlStyle, 'h-8 min-w-0 flex-1')}
      />
      <span role="status" className="px-1 text-muted text-sm">
        {isMissing ? 'Not found' : ''}
      </span>
      <Button variant="ghost" size="icon" aria-label="Further up" onClick={() => find('previous')}>
        <ChevronUpIcon />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Further down" onClick={() => find('next')}>
        <ChevronDownIcon />
      </Button>
      <Button variant="ghost" size="icon" aria-label="Close the search" onClick={onClose}>
        <CloseIcon />
      </Button>
    </search>
  );
}

function copy({ terminal }: XtermScreen): void {
  const text = terminal.getSelection();
  if (text === '') toast.error('Select something first.');
  else navigator.clipboard.writeText(text).catch(() => toast.error('Your browser did not allow it.'));
  terminal.focus();
}

function paste({ terminal }: XtermScreen): void {
  navigator.clipboard.readText().then(
    (text) => terminal.paste(text),
    () => toast.error('Your browser did not allow it. Paste with the keyboard instead.'),
  );
  terminal.focus();
}
