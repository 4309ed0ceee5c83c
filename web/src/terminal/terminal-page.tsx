import { Button } from '../ui/button.tsx';
import { MoonIcon, SunIcon } from '../ui/icons.ts';
import { setTheme, useIsDark } from '../ui/theme.ts';
import type { TerminalPlace } from './connection.ts';
import { TerminalView } from './terminal-view.tsx';

export function TerminalPage({ name, place }: { name: string; place: TerminalPlace }) {
  const isDark = useIsDark();
  return (
    <main className="flex h-dvh flex-col p-2 sm:p-3">
      <div className="flex items-center justify-between gap-2 pb-1">
        <h1 className="min-w-0 truncate font-semibold text-base">
          {name} <span className="font-normal text-muted">Terminal</span>
        </h1>
        <Button
          variant="ghost"
          size="icon"
          aria-label={isDark ? 'Light theme' : 'Dark theme'}
          onClick={() => setTheme(isDark ? 'light' : 'dark')}
        >
          {isDark ? <SunIcon /> : <MoonIcon />}
        </Button>
      </div>
      <TerminalView place={place} className="flex-1" />
    </main>
  );
}
