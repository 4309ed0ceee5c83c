import { Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { cx } from '../ui/cx.ts';
import { PlusIcon } from '../ui/icons.ts';

const place =
  'inline-flex h-7.5 any-pointer-coarse:h-9 select-none items-center gap-1.5 rounded-md px-2.5 font-medium text-muted text-sm hover:text-fg aria-[current=page]:bg-surface aria-[current=page]:text-fg aria-[current=page]:shadow-card dark:aria-[current=page]:bg-line-strong';
const exactly = { activeOptions: { exact: true } };

type EnvironmentSwitchProps = { site: Site; to: '/sites/$fqdn' | '/sites/$fqdn/time'; live?: Tab; staging?: Tab };
type Tab = { tab?: string };

/**
 * From the live site to its stage and back, to the same page where the other one has it. Links, so that an address says where one is
 * and opens in a tab of its own.
 */
export function EnvironmentSwitch({ site, to, live = {}, staging = {} }: EnvironmentSwitchProps) {
  const { fqdn, site_stage: stage } = site;
  return (
    <nav aria-label="Environment" className="inline-flex gap-0.5 rounded-lg bg-raised p-0.5">
      <Link to={to} params={{ fqdn }} search={live} className={place} {...exactly}>
        <Dot className="bg-accent" /> Live
      </Link>
      {stage ? (
        <Link to={to} params={{ fqdn }} search={{ env: 'staging', ...staging }} className={place} {...exactly}>
          <Dot className="bg-warn" /> Staging
        </Link>
      ) : (
        <Link to="/sites/$fqdn" params={{ fqdn }} search={{ env: 'staging' }} className={place} {...exactly}>
          <PlusIcon className="size-3.5" /> Create staging site
        </Link>
      )}
    </nav>
  );
}

function Dot({ className }: { className: string }) {
  return <span aria-hidden className={cx('size-1.5 rounded-full', className)} />;
}
