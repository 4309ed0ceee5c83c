import type { Site, StageSite } from '#sdk';
import { type LazyView, lazyView } from '../../layout/lazy-view.ts';

type LiveViewProps = { site: Site; isStage: false };
type StageViewProps = { site: Site; stage: StageSite; isStage: true; disabled: boolean };

/** What a page of a site shows of the live site and of its stage. Which pages there are is in `layout/site-pages.ts`. */
type SiteView = {
  live?: LazyView<LiveViewProps>;
  staging?: LazyView<StageViewProps>;
  /** A stage's own forms are narrow, and say why they can not be used. */
  stageForm?: true;
};

const files = lazyView(() => import('./files/site-files.tsx').then((it) => it.SiteFiles));
const git = lazyView(() => import('./site-git.tsx').then((it) => it.SiteGit));
const editor = lazyView(() => import('./site-editor.tsx').then((it) => it.SiteEditor));
const terminal = lazyView(() => import('./site-terminal.tsx').then((it) => it.SiteTerminal));
const activity = lazyView(() => import('./site-activity.tsx').then((it) => it.SiteActivity));
const software = lazyView(() => import('./software/site-software.tsx').then((it) => it.SiteSoftware));
const log = lazyView(() => import('./site-log.tsx').then((it) => it.SiteLog));

/** By path. The time machine is a route of its own, and staging leads to the stage's overview. */
const views: Record<string, SiteView> = {
  '': {
    live: lazyView(() => import('./site-overview.tsx').then((it) => it.SiteOverview)),
    staging: lazyView(() => import('./stage-overview.tsx').then((it) => it.StageOverview)),
    stageForm: true,
  },
  changes: { staging: lazyView(() => import('./stage-changes.tsx').then((it) => it.StageChanges)), stageForm: true },
  domains: { live: lazyView(() => import('./site-domain.tsx').then((it) => it.SiteDomain)) },
  logs: { live: log, staging: log },
  plugins: { live: software, staging: software },
  cache: { live: lazyView(() => import('./site-cache.tsx').then((it) => it.SiteCache)) },
  security: { live: lazyView(() => import('./site-security.tsx').then((it) => it.SiteSecurity)) },
  routing: { live: lazyView(() => import('./site-paths.tsx').then((it) => it.SitePaths)) },
  mail: { staging: lazyView(() => import('./stage-mail.tsx').then((it) => it.StageMail)), stageForm: true },
  activity: { live: activity, staging: activity },
  settings: {
    live: lazyView(() => import('./site-settings.tsx').then((it) => it.SiteSettings)),
    staging: lazyView(() => import('./stage-settings.tsx').then((it) => it.StageSettings)),
    stageForm: true,
  },
  git: { live: git, staging: git },
  files: { live: files, staging: files },
  editor: { live: editor, staging: editor },
  terminal: { live: terminal, staging: terminal },
};

export function viewOf(path: string): SiteView {
  return (Object.hasOwn(views, path) && views[path]) || {};
}

/** Begins to load what a page shows while somebody is about to open it, beside the question for the site. */
export async function preloadView(path: string, isStaging: boolean): Promise<void> {
  const { live, staging } = viewOf(path);
  await (isStaging ? staging : live)?.preload();
}
