import { Outlet } from '@tanstack/react-router';
import { WarningIcon } from '../ui/icons.tsx';
import { Logo } from '../ui/logo.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** Nobody may take these pages for a real payment, so that stands first, at the top of all of them. */
export function TestPaymentLayout() {
  return (
    <div className="min-h-dvh">
      <div
        role="note"
        className="sticky top-0 z-30 flex items-center justify-center gap-2.5 bg-warn-soft px-4 py-3 font-medium text-warn-text"
      >
        <WarningIcon /> <p>Test payment: no money is taken, and no card is asked for.</p>
      </div>
      <header className="mx-auto flex h-16 w-full max-w-3xl items-center justify-between px-4 sm:px-6">
        <span className="flex">
          <Logo />
        </span>
        <ThemeMenu />
      </header>
      <main id="main" className="mx-auto w-full max-w-3xl px-4 pt-4 pb-24 sm:px-6 sm:pt-8">
        <Outlet />
      </main>
    </div>
  );
}
