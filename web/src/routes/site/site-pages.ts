import type { LucideIcon } from 'lucide-react';
import type { Site, StageSite } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { type LazyView, lazyView } from '../../layout/lazy-view.ts';
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
  RoutingIcon,
  SecurityIcon,
  SettingsIcon,
  StagingIcon,
  TerminalIcon,
} from '../../ui/icons.ts';

export type LiveViewProps = { site: Site; isStage: false };
export type StageViewProps = { site: Site; stage: StageSite; isStage: true; disabled: boolean };

/**
 * A page of a site: one line in the side bar, one address under `/sites/$fqdn`. `live` and `staging` are what it shows of the one
 * and of the other; what one of them has no view of is not in its side bar. A page called the same in both is
 * where the switch between them leads.
 */
export type SitePage = {
  path: string;
  label: string;
  Icon: LucideIcon;
  group?: 'Code';
  live?: View<LiveViewProps>;
  staging?: View<StageViewProps>;
  /** A stage's own forms are narrow, and say why they can not be used. */
  stageForm?: true;
  isFor?: (site: Site, stage: StageSite | undefined) => boolean;
};
type View<Props> = LazyView<Props> | 'own route';

const forMembers = (site: Site) => atLeast(site.team.role, 'member');

const overview: SitePage = {
  path: '',
  label: 'Overview',
  Icon: OverviewIcon,
  live: lazyView(() => import('./site-overview.tsx').then((it) => it.SiteOverview)),
  staging: lazyView(() => import('./stage-overview.tsx').then((it) => it.StageOverview)),
  stageForm: true,
};
const files = lazyView(() => import('./files/site-files.tsx').then((it) => it.SiteFiles));
const git = lazyView(() => import('./site-git.tsx').then((it) => it.SiteGit));
const editor = lazyView(() => import('./site-editor.tsx').then((it) => it.SiteEditor));
const terminal = lazyView(() => import('./site-terminal.tsx').then((it) => it.SiteTerminal));
const activity = lazyView(() => import('./site-activity.tsx').then((it) => it.SiteActivity));
const log = lazyView(() => import('./site-log.tsx').then((it) => it.SiteLog));

export const sitePages: SitePage[] = [
  overview,
  {
    path: 'changes',
    label: 'Changes',
    Icon: ChangesIcon,
    staging: lazyView(() => import('./stage-changes.tsx').then((it) => it.StageChanges)),
    stageForm: true,
    isFor: forMembers,
  },
  { path: 'time', label: 'Time machine', Icon: HistoryIcon, live: 'own route', staging: 'own route' },
  { path: 'staging', label: 'Staging', Icon: StagingIcon, live: 'own route' },
  {
    path: 'domains',
    label: 'Domains',
    Icon: DomainsIcon,
    live: lazyView(() => import('./site-domain.tsx').then((it) => it.SiteDomain)),
  },
  { path: 'logs', label: 'Logs', Icon: LogsIcon, live: log, staging: log },
  {
    path: 'cache',
    label: 'Cache',
    Icon: CacheIcon,
    live: lazyView(() => import('./site-cache.tsx').then((it) => it.SiteCache)),
  },
  {
    path: 'security',
    label: 'Security',
    Icon: SecurityIcon,
    live: lazyView(() => import('./site-security.tsx').then((it) => it.SiteSecurity)),
  },
  {
    path: 'routing',
    label: 'Routing',
    Icon: RoutingIcon,
    live: lazyView(() => import('./site-paths.tsx').then((it) => it.SitePaths)),
  },
  {
    path: 'mail',
    label: 'Mail',
    Icon: MailIcon,
    staging: lazyView(() => import('./stage-mail.tsx').then((it) => it.StageMail)),
    stageForm: true,
    isFor: forMembers,
  },
  { path: 'activity', label: 'Activity', Icon: ActivityIcon, live: activity, staging: activity },
  {
    path: 'settings',
    label: 'Settings',
    Icon: SettingsIcon,
    live: lazyView(() => import('./site-settings.tsx').then((it) => it.SiteSettings)),
    staging: lazyView(() => import('./stage-settings.tsx').then((it) => it.StageSettings)),
    stageForm: true,
    isFor: (site, stage) => stage === undefined || forMembers(site),
  },
  {
    path: 'git',
    label: 'Git',
    Icon: GitIcon,
    group: 'Code',
    live: git,
    staging: git,
    isFor: (_, stage) => stage === undefined || stage.git_branch !== null,
  },
  { path: 'files', label: 'Files', Icon: FolderIcon, group: 'Code', live: files, staging: files },
  { path: 'editor', label: 'Editor', Icon: EditorIcon, group: 'Code', live: editor, staging: editor },
  { path: 'terminal', label: 'Terminal', Icon: TerminalIcon, group: 'Code', live: terminal, staging: terminal },
];

/** Those that the side bar shows. While a stage is made there is nothing of it to look at. */
export function pagesOf(site: Site, stage: StageSite | undefined): SitePage[] {
  if (stage && site.busy === 'staging') return [overview];
  return sitePages.filter(
    ({ live, staging, isFor }) => (stage ? staging : live) !== undefined && (isFor?.(site, stage) ?? true),
  );
}

/** The pages were tabs once, and some had other names: where `?tab=` led to. */
const formerTabs: Record<string, string> = {
  log: 'logs',
  domain: 'domains',
  access: 'security',
  edge: 'cache',
  paths: 'routing',
};

export function pageOfTab(tab: string): string {
  return formerTabs[tab] ?? tab;
}
