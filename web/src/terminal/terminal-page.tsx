import { Button } from '../ui/button.tsx';
import { MoonIcon, SunIcon } from '../ui/icons.ts';
import { setTheme, useIsDark } from '../ui/theme.ts';
import type { TerminalPlace } from './connection.ts';
import { TerminalView } from './terminal-view.tsx';

export function TerminalPage({ name, place }: { name: string; place: TerminalPlace }) {
  const isDark = useIsDark();
  const theme = (
    <Button
      variant="ghost"
      size="icon"
      aria-label={isDark ? 'Light theme' : 'Dark theme'}
      onClick={() => setTheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </Button>
  );
  return (
    <main className="flex h-dvh flex-col p-2 sm:p-3">
      <h1 className="truncate pb-1 font-semibold text-base">
        {name} <span className="font-normal text-muted">Terminal</span>
      </h1>
      <TerminalView place={place} action={theme} className="flex-1" />
    </main>
  );
}
