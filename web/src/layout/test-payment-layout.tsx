import { Outlet } from '@tanstack/react-router';
import { WarningIcon } from '../ui/icons.ts';
import { Logo } from '../ui/logo.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** Nobody may take these pages for a real payment, so that stands first, at the top of all of them. */
export function TestPaymentLayout() {
  return (
    <div className="mx-auto min-h-dvh w-full max-w-3xl px-4 pb-24 sm:px-6">
      <header className="flex h-16 items-center justify-between">
        <span className="flex">
          <Logo />
        </span>
        <ThemeMenu />
      </header>
      <main id="main" tabIndex={-1} className="outline-none">
        <div
          role="note"
          className="sticky top-3 z-30 mb-8 flex items-center justify-center gap-2.5 rounded-xl border-2 border-warn bg-warn-soft px-4 py-3 font-semibold text-base text-warn-text"
        >
          <WarningIcon /> <p>Test payment: no money is taken, and no card is asked for.</p>
        </div>
        <Outlet />
      </main>
    </div>
  );
}
