import type { Site, StageSite } from '#sdk';
import { addressOf, propertiesOf } from '../../api/sites.ts';
import { buttonStyle } from '../../ui/button.tsx';
import { OpenIcon } from '../../ui/icons.ts';
import { SignInButton } from './sign-in-button.tsx';

/** Of the site, or of its stage where that is given. */
export function SiteActions({ site, stage }: { site: Site; stage?: StageSite | undefined }) {
  return (
    <div className="flex flex-wrap gap-2">
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
