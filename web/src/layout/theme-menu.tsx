import { Button } from '../ui/button.tsx';
import { MoonIcon, SunIcon, SystemIcon } from '../ui/icons.ts';
import { Menu, MenuChoice } from '../ui/menu.tsx';
import { setTheme, type Theme, useTheme } from '../ui/theme.ts';

const options: { value: Theme; label: string; icon: React.ReactNode }[] = [
  { value: 'system', label: 'System', icon: <SystemIcon /> },
  { value: 'light', label: 'Light', icon: <SunIcon /> },
  { value: 'dark', label: 'Dark', icon: <MoonIcon /> },
];

export function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      className="min-w-36"
      trigger={
        <Button variant="ghost" size="icon" aria-label="Theme">
          <SunIcon className="dark:hidden" />
          <MoonIcon className="hidden dark:block" />
        </Button>
      }
    >
      <MenuChoice label="Theme" value={theme} onChange={setTheme} options={options} />
    </Menu>
  );
}
