import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'siteyard.theme';
// The server, which draws pages too, knows nothing of it: pages are coloured by CSS.
const systemDark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

let theme = readTheme();

function apply(): void {
  const dark = theme === 'dark' || (theme === 'system' && systemDark?.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

systemDark?.addEventListener('change', apply);
// It may have changed since the page began (public/theme.js), when nobody listened.
if (systemDark) apply();
// Another tab of the dashboard changed it.
globalThis.addEventListener?.('storage', (event) => {
  if (event.key !== storageKey) return;
  theme = readTheme();
  apply();
});

export function setTheme(next: Theme): void {
  theme = next;
  try {
    if (next === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, next);
  } catch {
    // Blocked storage: the choice lasts as long as the page.
  }
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => theme);
}

/** What the theme comes to at the moment; for whatever can not be coloured by CSS. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => globalThis.document?.documentElement.dataset.theme === 'dark');
}
