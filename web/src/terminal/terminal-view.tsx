import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { useIsDark } from '../ui/theme.ts';
import { type ConnectionState, TerminalConnection, type TerminalPlace } from './connection.ts';
import { KeyBar, withCtrl } from './key-bar.tsx';
import { XtermScreen } from './screen.ts';
import { useTerminalSettings } from './settings.ts';
import { TerminalBar } from './terminal-bar.tsx';

type TerminalViewProps = {
  place: TerminalPlace;
  /** Beside the tools. */
  action?: ReactNode;
  className?: string;
};

/** A shell of a site in the browser. The page of its own and the dashboard show the same one. */
export function TerminalView({ place, action, className }: TerminalViewProps) {
  const [settings, change] = useTerminalSettings();
  const isDark = useIsDark();
  const [state, setState] = useState<ConnectionState>({ kind: 'connecting' });
  const [screen, setScreen] = useState<XtermScreen>();
  const hint = useId();
  const [isCtrl, setIsCtrl] = useState(false);
  const ctrl = useRef(false);
  ctrl.current = isCtrl;
  const frame = useRef<HTMLDivElement>(null);
  const connection = useRef<TerminalConnection>(undefined);
  const first = useRef({ settings, isDark, place });

  useEffect(() => {
    if (!frame.current) return;
    const made = new XtermScreen(first.current.settings, first.current.isDark);
    const { terminal } = made;
    terminal.open(frame.current);
    made.fit();
    terminal.textarea?.setAttribute('aria-describedby', hint);
    const opened = new TerminalConnection(first.current.place, made, setState);
    connection.current = opened;
    terminal.onData((text) => {
      opened.type(ctrl.current ? withCtrl(text) : text);
      setIsCtrl(false);
    });
    terminal.onResize(({ cols, rows }) => opened.resize(cols, rows));
    const sizes = new ResizeObserver(() => made.fit());
    sizes.observe(frame.current);
    opened.open();
    setScreen(made);
    terminal.focus();
    return () => {
      sizes.disconnect();
      opened.close();
      terminal.dispose();
    };
  }, [hint]);

  useEffect(() => screen?.apply(settings, isDark), [screen, settings, isDark]);

  return (
    <div className={cx('flex min-h-0 min-w-0 flex-col', className)}>
      <TerminalBar screen={screen} state={state} settings={settings} onChange={change} action={action} />
      <div className="relative min-h-0 flex-1 overflow-hidden rounded-xl border border-line bg-[#fff] p-2 dark:bg-[#101513]">
        <div ref={frame} className="size-full" data-terminal />
        {state.kind === 'over' && (
          <div className="absolute inset-x-2 bottom-2 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line-strong bg-surface p-3 shadow-pop">
            <p role="alert">{state.message}</p>
            {state.canBegin && (
              <Button
                size="sm"
                onClick={() => {
                  connection.current?.begin();
                  screen?.terminal.focus();
                }}
              >
                New terminal
              </Button>
            )}
          </div>
        )}
      </div>
      <p id={hint} className="pt-2 text-muted text-xs any-pointer-coarse:sr-only">
        Press <Key>Esc</Key>, then <Key>Tab</Key> to leave the terminal.
      </p>
      <KeyBar terminal={screen?.terminal} isCtrl={isCtrl} onCtrl={setIsCtrl} />
    </div>
  );
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-line bg-raised px-1 font-mono">{children}</kbd>
);
