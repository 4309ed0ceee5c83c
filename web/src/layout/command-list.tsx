import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { EnterIcon, SearchIcon } from '../ui/icons.ts';
import { useSearchText } from '../ui/use-settled.ts';
import { type Command, useCommands } from './commands.tsx';

/** A field and what it finds, in groups. The keyboard stays in the field; arrows move through the list. */
export function CommandList({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { commands, isSearching } = useCommands(typed, useSearchText(typed));
  // Enter may be quicker than the search: then it counts for what is found.
  const [isAwaited, setAwaited] = useState(false);
  const navigate = useNavigate();
  const id = useId();
  const current = Math.min(at, commands.length - 1);
  const field = useRef<HTMLInputElement>(null);
  // The dialog opens before this is loaded, and has nothing else to begin with.
  useLayoutEffect(() => field.current?.focus(), []);

  useEffect(() => {
    if (!isAwaited || isSearching) return;
    setAwaited(false);
    choose(commands[0]);
  });

  function choose(command: Command | undefined) {
    if (!command) {
      setAwaited(isSearching);
      return;
    }
    onDone();
    if ('to' in command) void navigate(command.to as Parameters<typeof navigate>[0]);
    else if ('href' in command) location.assign(command.href);
    else command.run();
  }
  function move(to: number) {
    const next = (to + commands.length) % commands.length;
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') move(current + 1);
    else if (event.key === 'ArrowUp') move(current - 1);
    else if (event.key === 'Enter' && !event.isComposing) choose(commands[current]);
    else return;
    event.preventDefault();
  }
  return (
    <>
      <div className="flex items-center gap-3 border-line border-b px-4">
        <SearchIcon className="size-4 shrink-0 text-muted" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={commands.length > 0 ? `${id}-${current}` : undefined}
          aria-autocomplete="list"
          aria-label="Search for sites, pages, actions and docs"
          placeholder="Sites, pages, actions and docs"
          autoComplete="off"
          spellcheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
            setAwaited(false);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted sm:text-sm"
        />
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Found"
        tabIndex={-1}
        className="h-[min(24rem,60vh)] overflow-y-auto overscroll-contain p-1.5 outline-none"
      >
        {commands.map((command, index) => {
          const isFirst = commands[index - 1]?.group !== command.group;
          return (
            <div key={`${command.group} ${command.label} ${command.hint ?? ''}`} role="presentation">
              {isFirst && (
                <p role="presentation" className="px-2.5 pt-3 pb-1 font-medium text-muted text-xs">
                  {command.group}
                </p>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and takes the keys for the whole list. */}
              <div
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                onClick={() => choose(command)}
                onPointerMove={() => setAt(index)}
                className="flex min-h-9 any-pointer-coarse:min-h-11 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 aria-selected:bg-raised"
              >
                <command.Icon className="size-4 shrink-0 text-muted" />
                <span className="truncate">{command.label}</span>
                {command.hint && <span className="truncate text-muted text-xs">{command.hint}</span>}
                {index === current && <EnterIcon className="ml-auto size-3.5 shrink-0 text-muted" />}
              </div>
            </div>
          );
        })}
        {commands.length === 0 && (
          <p className="px-2.5 py-8 text-center text-muted">{isSearching ? 'Searching…' : 'Nothing found.'}</p>
        )}
      </div>
    </>
  );
}
