import { Link } from '@tanstack/react-router';
import { cx } from '../ui/cx.ts';

const place =
  'inline-flex h-7.5 any-pointer-coarse:h-9 flex-1 select-none items-center justify-center gap-1.5 rounded-md px-2.5 font-medium text-muted text-sm hover:text-fg aria-[current=page]:bg-surface aria-[current=page]:text-fg aria-[current=page]:shadow-card dark:aria-[current=page]:bg-line-strong';

type EnvironmentSwitchProps = {
  fqdn: string;
  /** The page to stay on, where the other one has it too. */
  page: { live: string; staging: string };
  onNavigate: (() => void) | undefined;
};

/**
 * From the live site to its stage and back. Links, so that an address says where one is and opens in a tab of its own. Where
 * there is no stage yet, its page offers to make one.
 */
export function EnvironmentSwitch({ fqdn, page, onNavigate }: EnvironmentSwitchProps) {
  const both = { params: { fqdn }, className: place, onClick: onNavigate };
  return (
    <nav aria-label="Environment" className="flex gap-0.5 rounded-lg bg-raised p-0.5">
      <Link {...both} to={addressOf(page.live)} search={{ env: undefined }} activeOptions={{ explicitUndefined: true }}>
        <Dot className="bg-accent" /> Live
      </Link>
      <Link {...both} to={addressOf(page.staging)} search={{ env: 'staging' }}>
        <Dot className="bg-warn" /> Staging
      </Link>
    </nav>
  );
}

function addressOf(page: string): '/sites/$fqdn' {
  // The router knows each page by one pattern, and finds it under its address.
  return (page === '' ? '/sites/$fqdn' : `/sites/$fqdn/${page}`) as '/sites/$fqdn';
}

function Dot({ className }: { className: string }) {
  return <span aria-hidden className={cx('size-1.5 rounded-full', className)} />;
}
