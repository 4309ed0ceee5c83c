import { Link } from '@tanstack/react-router';
import { Button, buttonStyle } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { messageOf } from '../ui/form.tsx';
import { SitesIcon, WarningIcon } from '../ui/icons.ts';
import { useTitle } from '../ui/page.tsx';

/** Where no frame is around it. */
export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <NotFound />
    </main>
  );
}

/** Inside a frame, which has its own main part. */
export function NotFound() {
  useTitle('Not found');
  return (
    <div className="grid min-h-[70vh] place-items-center">
      <h1 className="sr-only">Not found</h1>
      <Empty
        icon={<SitesIcon />}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonStyle({ variant: 'secondary' })}>
            Go to the dashboard
          </Link>
        }
      >
        The page may have moved, or the link may be incomplete.
      </Empty>
    </div>
  );
}

export function CrashPage({ error, reset }: { error: unknown; reset: () => void }) {
  useTitle('Something went wrong');
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">Something went wrong</h1>
      <Empty
        icon={<WarningIcon />}
        title="This page could not be shown"
        action={<Button onClick={reset}>Try again</Button>}
      >
        {messageOf(error)}
      </Empty>
    </main>
  );
}
