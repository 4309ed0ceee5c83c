import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Logo } from '../ui/logo.tsx';
import { useTitle } from '../ui/page.tsx';
import { ThemeMenu } from './theme-menu.tsx';

export function AuthLayout() {
  return (
    <div className="plots grid min-h-dvh grid-rows-[auto_1fr]">
      <header className="flex h-16 items-center justify-between px-4 sm:px-8">
        <Link to="/" aria-label="Siteyard" className="flex rounded-lg">
          <Logo />
        </Link>
        <ThemeMenu />
      </header>
      <main id="main" className="grid justify-items-center px-4 pt-[6vh] pb-16 sm:pt-[10vh]">
        <div className="w-full max-w-sm">
          <Outlet />
        </div>
      </main>
    </div>
  );
}

/** One question or one answer, centred. */
export function AuthCard({
  title,
  description,
  children,
  footer,
}: {
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
}) {
  useTitle(title);
  return (
    <>
      <h1 className="break-words text-center font-semibold text-2xl tracking-tight">{title}</h1>
      {description && <div className="mt-2 text-balance text-center text-muted">{description}</div>}
      {children && <div className="mt-7 rounded-2xl border border-line bg-surface p-6 shadow-card">{children}</div>}
      {footer && <p className="mt-6 text-center text-muted">{footer}</p>}
    </>
  );
}

export const textLink = 'rounded font-medium text-accent-text underline-offset-4 hover:underline';
