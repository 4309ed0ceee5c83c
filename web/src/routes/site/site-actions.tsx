import { Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { propertiesOf } from '../../api/sites.ts';
import { buttonStyle } from '../../ui/button.tsx';
import { HistoryIcon, OpenIcon } from '../../ui/icons.ts';
import { SignInButton } from './sign-in-button.tsx';

export function SiteActions({ site }: { site: Site }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/sites/$fqdn/time" params={{ fqdn: site.fqdn }} className={buttonStyle({ variant: 'secondary' })}>
        <HistoryIcon /> Time machine
      </Link>
      <a
        href={propertiesOf(site).url}
        target="_blank"
        rel="noreferrer"
        className={buttonStyle({ variant: 'secondary' })}
      >
        <OpenIcon /> Open site
      </a>
      <SignInButton site={site}>Sign in to WordPress</SignInButton>
    </div>
  );
}
