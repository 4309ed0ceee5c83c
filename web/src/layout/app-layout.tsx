import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useEventStream } from '../api/event-stream.ts';
import { CloseIcon, MenuIcon } from '../ui/icons.ts';
import { Logo } from '../ui/logo.tsx';
import { CloseButton, Modal } from '../ui/modal.tsx';
import { CommandButton, CommandPalette } from './command-palette.tsx';
import { Nav } from './nav.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { SiteNav } from './site-nav.tsx';
import { ThemeMenu } from './theme-menu.tsx';
import { UserMenu } from './user-menu.tsx';
import { VerifyBanner } from './verify-banner.tsx';
import { ViewBar } from './view-bar.tsx';

export function AppLayout() {
  useEventStream();
  const main = useFocusOnNavigation();
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-surface px-4 py-2 font-medium shadow-pop focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <ViewBar />
      <CommandPalette />
      <aside className="sticky top-0 hidden h-dvh flex-col gap-3 border-line border-r p-3 lg:flex">
        <div className="mt-0.5 flex items-center justify-between pl-1.5">
          <Link to="/" aria-label="Siteyard" className="flex rounded-lg">
            <Logo />
          </Link>
          <ThemeMenu />
        </div>
        <CommandButton />
        <div className="-mx-3 min-h-0 flex-1 overflow-y-auto px-3 [scrollbar-width:thin]">
          <SideBar />
        </div>
        <UserMenu />
      </aside>
      <div className="min-w-0">
        <TopBar />
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[96rem] px-4 pt-7 pb-24 outline-none sm:px-8 sm:pt-8"
        >
          <OfflineBanner />
          <VerifyBanner />
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** Inside a site its own pages, everywhere else those of the team. */
function SideBar({ onNavigate }: { onNavigate?: () => void }) {
  const { fqdn } = useParams({ strict: false });
  return fqdn === undefined ? <Nav onNavigate={onNavigate} /> : <SiteNav fqdn={fqdn} onNavigate={onNavigate} />;
}

function TopBar() {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-line border-b bg-bg px-2 lg:hidden">
      <button
        type="button"
        aria-label="Menu"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="grid size-10 place-items-center rounded-lg text-muted hover:bg-raised"
      >
        <MenuIcon className="size-5" />
      </button>
      <Modal open={open} onOpenChange={setOpen} title="side-menu" className="flex">
        <div className="flex w-72 max-w-[85vw] flex-col gap-4 bg-bg p-3 shadow-pop slide-in [--slide-from:-100%]">
          <div className="flex items-center justify-between pl-1.5">
            <Logo />
            <CloseButton
              aria-label="Close menu"
              className="grid size-10 place-items-center rounded-lg text-muted hover:bg-raised"
            >
              <CloseIcon />
            </CloseButton>
          </div>
          <h2 id="side-menu" className="sr-only">
            Menu
          </h2>
          <div className="min-h-0 overflow-y-auto">
            <SideBar onNavigate={() => setOpen(false)} />
          </div>
        </div>
      </Modal>
      <Link to="/" aria-label="Siteyard" className="flex rounded-lg">
        <Logo />
      </Link>
      <div className="ml-auto flex items-center gap-1">
        <CommandButton compact />
        <ThemeMenu />
        <UserMenu compact />
      </div>
    </header>
  );
}

/** After a change of page the keyboard and the screen reader start at the new content, as after a full page load. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const former = useRef(pathname);
  useEffect(() => {
    if (former.current === pathname) return;
    former.current = pathname;
    // A form that starts with its first field has the focus already, and keeps it.
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
