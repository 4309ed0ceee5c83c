import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronLeftIcon } from '../ui/icons.ts';

/** One level up, above the title of a page. */
export function BackLink({ children, ...to }: LinkProps & { children: React.ReactNode }) {
  return (
    <Link {...to} className="-ml-1 inline-flex items-center gap-1 rounded text-muted hover:text-fg">
      <ChevronLeftIcon /> {children}
    </Link>
  );
}
