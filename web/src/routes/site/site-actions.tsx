import { Link } from '@tanstack/react-router';
import type { Site, StageSite } from '#sdk';
import { addressOf, propertiesOf } from '../../api/sites.ts';
import { buttonStyle } from '../../ui/button.tsx';
import { HistoryIcon, OpenIcon } from '../../ui/icons.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Of the site, or of its stage where that is given. */
export function SiteActions({ site, stage }: { site: Site; stage?: StageSite | undefined }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Link
        to="/sites/$fqdn/time"
        params={{ fqdn: site.fqdn }}
        search={stage ? { env: 'staging' } : {}}
        className={buttonStyle({ variant: 'secondary' })}
      >
        <HistoryIcon /> Time machine
      </Link>
      <a
        href={stage ? addressOf(stage.fqdn) : propertiesOf(site).url}
        target="_blank"
        rel="noreferrer"
        className={buttonStyle({ variant: 'secondary' })}
      >
        <OpenIcon /> {stage ? 'Open staging site' : 'Open site'}
      </a>
      <SignInButton site={site} stage={stage !== undefined}>
        Sign in to WordPress
      </SignInButton>
    </div>
  );
}
