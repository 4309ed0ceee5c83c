const STORAGE_KEY = 'siteyard.theme';

/** The same choice as in the dashboard (ui/theme.ts); public/theme.js has set what it comes to already. */
export function offerThemes(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (!button) return;
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  button.hidden = false;
  button.addEventListener('click', () => {
    const next = root.dataset.theme === 'dark' ? 'light' : 'dark';
    root.dataset.theme = next;
    remember(next === (system.matches ? 'dark' : 'light') ? null : next);
  });
  system.addEventListener('change', () => {
    if (remembered() === null) root.dataset.theme = system.matches ? 'dark' : 'light';
  });
}

function remembered(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function remember(theme: string | null): void {
  try {
    if (theme === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Blocked storage: the choice lasts as long as the page.
  }
}
