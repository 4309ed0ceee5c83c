import type { ReactNode } from 'react';
import { useMe } from '../api/session.ts';

/** In the place of what waits for a confirmed address: the reason, before anybody fills in a form. */
export function ConfirmedOnly({ children }: { children: ReactNode }) {
  const me = useMe();
  if (me.is_verified) return children;
  return <p className="max-w-44 text-muted text-xs">Confirm your email address first.</p>;
}
