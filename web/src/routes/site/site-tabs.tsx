import type { ReactNode } from 'react';
import type { Site, StageSite } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import type { Tab } from '../../ui/tabs.tsx';
import { SiteFiles } from './files/site-files.tsx';
import { SiteAccess } from './site-access.tsx';
import { SiteActivity } from './site-activity.tsx';
import { SiteDomain } from './site-domain.tsx';
import { SiteEdge } from './site-edge.tsx';
import { SiteEditor } from './site-editor.tsx';
import { SiteGit } from './site-git.tsx';
import { SiteLog } from './site-log.tsx';
import { SiteOverview } from './site-overview.tsx';
import { SitePaths } from './site-paths.tsx';
import { SiteSettings } from './site-settings.tsx';
import { SiteTerminal } from './site-terminal.tsx';
import { SiteSoftware } from './software/site-software.tsx';
import { StageChanges } from './stage-changes.tsx';
import { StageMail } from './stage-mail.tsx';
import { StageOverview } from './stage-overview.tsx';
import { StageSettings } from './stage-settings.tsx';

export function liveTabs(site: Site): Tab[] {
  return [
    { value: 'overview', label: 'Overview', content: <SiteOverview site={site} /> },
    { value: 'software', label: 'Plugins & themes', content: <SiteSoftware site={site} /> },
    { value: 'git', label: 'Git', content: <SiteGit site={site} /> },
    { value: 'files', label: 'Files', content: <SiteFiles site={site} /> },
    { value: 'editor', label: 'Editor', content: <SiteEditor site={site} /> },
    { value: 'activity', label: 'Activity', content: <SiteActivity site={site} /> },
    { value: 'terminal', label: 'Terminal', content: <SiteTerminal site={site} /> },
    { value: 'log', label: 'Logs', content: <SiteLog site={site} /> },
    { value: 'domain', label: 'Domains', content: <SiteDomain site={site} /> },
    { value: 'access', label: 'Access', content: <SiteAccess site={site} /> },
    { value: 'edge', label: 'Cache & firewall', content: <SiteEdge site={site} /> },
    { value: 'paths', label: 'External paths', content: <SitePaths site={site} /> },
    { value: 'settings', label: 'Settings', content: <SiteSettings site={site} /> },
  ];
}

/** A tab that both have is called the same in both, so that one stays on it from the one to the other. */
export function stageTabs(site: Site, stage: StageSite, obstacle: string | undefined): Tab[] {
  const disabled = obstacle !== undefined;
  const narrow = (content: ReactNode) => (
    <div className="grid max-w-3xl gap-6">
      {site.busy !== 'staging' && <BlockedNote reason={obstacle} />}
      {content}
    </div>
  );
  const overview = {
    value: 'overview',
    label: 'Overview',
    content: narrow(<StageOverview {...{ site, stage, disabled }} />),
  };
  // While it is made there is nothing of it to look at.
  if (site.busy === 'staging') return [overview];
  const forMembers = (tab: Tab) => (atLeast(site.team.role, 'member') ? [tab] : []);
  return [
    overview,
    ...forMembers({
      value: 'changes',
      label: 'Changes',
      content: narrow(<StageChanges site={site} disabled={disabled} />),
    }),
    { value: 'software', label: 'Plugins & themes', content: <SiteSoftware site={site} isStage /> },
    ...(stage.git_branch ? [{ value: 'git', label: 'Git', content: <SiteGit site={site} isStage /> }] : []),
    { value: 'files', label: 'Files', content: <SiteFiles site={site} isStage /> },
    { value: 'editor', label: 'Editor', content: <SiteEditor site={site} isStage /> },
    { value: 'activity', label: 'Activity', content: <SiteActivity site={site} isStage /> },
    { value: 'terminal', label: 'Terminal', content: <SiteTerminal site={site} isStage /> },
    { value: 'log', label: 'Logs', content: <SiteLog site={site} stage={stage} /> },
    ...forMembers({
      value: 'mail',
      label: 'Mail',
      content: narrow(<StageMail site={site} />),
    }),
    ...forMembers({
      value: 'settings',
      label: 'Settings',
      content: narrow(<StageSettings {...{ site, stage, disabled }} />),
    }),
  ];
}
