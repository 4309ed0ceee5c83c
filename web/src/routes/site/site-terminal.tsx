import { lazy, Suspense } from 'react';
import type { Site } from '#sdk';
import { atLeast, standing } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { OpenIcon } from '../../ui/icons.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SshCommands } from './ssh-commands.tsx';

const TerminalView = lazy(() =>
  import('../../terminal/terminal-view.tsx').then(({ TerminalView: component }) => ({ default: component })),
);

/** A shell of the site or of its stage. It goes on for a few minutes when somebody looks at another tab. */
export function SiteTerminal({ site, isStage: forStage = false }: { site: Site; isStage?: boolean }) {
  const me = useMe();
  const { role, name } = site.team;
  if (!atLeast(role, 'member'))
    return <BlockedNote reason={`${standing(role, name)}: members, admins and the owner can open a terminal.`} />;
  if (!me.is_verified) return <BlockedNote reason="To open a terminal, confirm your email address first." />;
  const page = `/f/api/v1/site/${site.fqdn}/shell_html${forStage ? '?for_stage=true' : ''}`;
  return (
    <div className="grid gap-4">
      <Suspense fallback={<Skeleton className="h-[70dvh] rounded-xl" />}>
        <TerminalView
          place={{ fqdn: site.fqdn, forStage }}
          className="h-[70dvh]"
          action={
            <a
              href={page}
              target="_blank"
              rel="noreferrer"
              aria-label="Open in a page of its own"
              className={buttonStyle({ variant: 'ghost', size: 'icon' })}
            >
              <OpenIcon />
            </a>
          }
        />
      </Suspense>
      <SshCommands name={forStage ? (site.site_stage?.fqdn ?? site.fqdn) : site.fqdn} />
    </div>
  );
}
