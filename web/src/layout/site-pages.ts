import type { LucideIcon } from 'lucide-react';
import type { Site, StageSite } from '#sdk';
import { atLeast } from '../api/roles.ts';
import {
  ActivityIcon,
  CacheIcon,
  ChangesIcon,
  DomainsIcon,
  EditorIcon,
  FolderIcon,
  GitIcon,
  HistoryIcon,
  LogsIcon,
  MailIcon,
  OverviewIcon,
  PluginsIcon,
  RoutingIcon,
  SecurityIcon,
  SettingsIcon,
  StagingIcon,
  TerminalIcon,
} from '../ui/icons.ts';

/**
 * A page of a site: one line in the side bar, one address under `/sites/$fqdn`. `only` is for what just the live site
 * or just its stage has. A page called the same in both is where the switch between them leads. What a page shows is
 * in `routes/site/site-views.ts`.
 */
export type SitePage = {
  path: string;
  label: string;
  Icon: LucideIcon;
  group?: 'Code';
  only?: 'live' | 'staging';
  isFor?: (site: Site, stage: StageSite | undefined) => boolean;
};

const forMembers = (site: Site) => atLeast(site.team.role, 'member');

const overview: SitePage = { path: '', label: 'Overview', Icon: OverviewIcon };

const sitePages: SitePage[] = [
  overview,
  { path: 'changes', label: 'Changes', Icon: ChangesIcon, only: 'staging', isFor: forMembers },
  { path: 'time', label: 'Time machine', Icon: HistoryIcon },
  { path: 'staging', label: 'Staging', Icon: StagingIcon, only: 'live' },
  { path: 'domains', label: 'Domains', Icon: DomainsIcon, only: 'live' },
  { path: 'logs', label: 'Logs', Icon: LogsIcon },
  { path: 'plugins', label: 'Plugins & themes', Icon: PluginsIcon },
  { path: 'cache', label: 'Cache', Icon: CacheIcon, only: 'live' },
  { path: 'security', label: 'Security', Icon: SecurityIcon, only: 'live' },
  { path: 'routing', label: 'Routing', Icon: RoutingIcon, only: 'live' },
  { path: 'mail', label: 'Mail', Icon: MailIcon, only: 'staging', isFor: forMembers },
  { path: 'activity', label: 'Activity', Icon: ActivityIcon },
  {
    path: 'settings',
    label: 'Settings',
    Icon: SettingsIcon,
    isFor: (site, stage) => stage === undefined || forMembers(site),
  },
  {
    path: 'git',
    label: 'Git',
    Icon: GitIcon,
    group: 'Code',
    isFor: (_, stage) => stage === undefined || stage.git_branch !== null,
  },
  { path: 'files', label: 'Files', Icon: FolderIcon, group: 'Code' },
  { path: 'editor', label: 'Editor', Icon: EditorIcon, group: 'Code' },
  { path: 'terminal', label: 'Terminal', Icon: TerminalIcon, group: 'Code' },
];

/** Those that the side bar shows. While a stage is made there is nothing of it to look at. */
export function pagesOf(site: Site, stage: StageSite | undefined): SitePage[] {
  if (stage && site.busy === 'staging') return [overview];
  const here = stage ? 'staging' : 'live';
  return sitePages.filter(({ only = here, isFor }) => only === here && (isFor?.(site, stage) ?? true));
}

/** What a page is called before its site is known. */
export function titleOf(path: string): string {
  return sitePages.find((page) => page.path === path)?.label ?? 'Site';
}
