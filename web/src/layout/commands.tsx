import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type LinkProps, useParams } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { Site, User } from '#sdk';
import { api } from '../api/client.ts';
import { useCurrentTeam } from '../api/current-team.ts';
import { useMe, useSession } from '../api/session.ts';
import { obstaclesOf } from '../api/site-rights.ts';
import { propertiesOf, siteQuery, titleOfSite } from '../api/sites.ts';
import { messageOf } from '../ui/form.tsx';
import {
  ActivityIcon,
  BillingIcon,
  ClearIcon,
  DevelopersIcon,
  DocsIcon,
  HistoryIcon,
  HomeIcon,
  KeyIcon,
  MoonIcon,
  OpenIcon,
  OperatorIcon,
  PlusIcon,
  SettingsIcon,
  SignOutIcon,
  SitesIcon,
  SunIcon,
  SupportIcon,
  TeamsIcon,
  TemplateIcon,
} from '../ui/icons.ts';
import { setTheme } from '../ui/theme.ts';
import { toast } from '../ui/toast.tsx';
import { ACTION_SYNONYMS, isNamed, type Named, SITE_SYNONYMS, siteWordsIn } from './command-words.ts';
import { openInTab } from './open-in-tab.ts';
import { siteLink } from './site-link.ts';
import { pagesOf } from './site-pages.ts';

export type Command = {
  group: 'Sites' | 'This site' | 'For a site' | 'Pages' | 'Actions' | 'Docs';
  Icon: LucideIcon;
} & Named &
  ({ to: LinkProps } | { href: string } | { run: () => void });

const foundSitesQuery = (search: string) =>
  queryOptions({
    queryKey: ['sites', 'found', search],
    queryFn: ({ signal }) => api.listSites({ query: { ...(search && { search }), page: 1, size: 6 }, signal }),
    placeholderData: keepPreviousData,
  });

type FoundDoc = { title: string; heading: string; address: string };

const foundDocsQuery = (words: string) =>
  queryOptions({
    queryKey: ['docs', 'found', words],
    queryFn: async ({ signal }): Promise<FoundDoc[]> => {
      const headers = { accept: 'application/json' };
      const answer = await fetch(`/docs/search?q=${encodeURIComponent(words)}`, { headers, signal });
      return answer.ok ? ((await answer.json()) as { results: FoundDoc[] }).results.slice(0, 5) : [];
    },
    placeholderData: keepPreviousData,
  });

/**
 * What the palette offers for these words: sites and docs as the server finds them, pages and actions by their name. While the server is asked, what
 * it found for the words before stays as far as it matches these, so that Enter opens nothing else.
 */
export function useCommands(typed: string, search: string): { commands: Command[]; isSearching: boolean } {
  const isMatch = (command: Command) => isNamed(typed, command);
  const fixed = useFixedCommands().filter(isMatch);
  const siteWords = siteWordsIn(search);
  const sites = useQuery(foundSitesQuery(search));
  const actedOn = useQuery({ ...foundSitesQuery(siteWords ?? ''), enabled: siteWords !== undefined });
  const me = useMe();
  const ofSites = (siteWordsIn(typed) === undefined ? [] : (actedOn.data?.results ?? []).slice(0, MOST_SITES))
    .flatMap((site) => commandsOf(site, me))
    .filter(isMatch);
  const docs = useQuery({ ...foundDocsQuery(search), enabled: search.length >= 2 });
  const isTyping = typed.trim() !== search;
  const foundSites = (sites.data?.results ?? []).map(
    (site): Command => ({
      group: 'Sites',
      label: titleOfSite(site),
      hint: site.title ? site.fqdn : site.team.name,
      Icon: SitesIcon,
      to: siteLink(site.fqdn, '', false),
    }),
  );
  const foundDocs = (search.length >= 2 ? (docs.data ?? []) : []).map(
    ({ title, heading, address }): Command => ({
      group: 'Docs',
      label: heading || title,
      ...(heading && { hint: title }),
      Icon: DocsIcon,
      href: address,
    }),
  );
  return {
    commands: [
      ...(isTyping || sites.isPlaceholderData ? foundSites.filter(isMatch) : foundSites),
      // Actions on a named site come first; without a name, actions on sites follow the general commands.
      ...(siteWords ? [...ofSites, ...fixed] : [...fixed, ...ofSites]),
      ...(isTyping || docs.isPlaceholderData ? foundDocs.filter(isMatch) : foundDocs),
    ],
    isSearching: isTyping || sites.isFetching || actedOn.isFetching || docs.isFetching,
  };
}

/** Maximum number of sites whose actions are listed. */
const MOST_SITES = 3;

/** Returns the actions on a site that the caller is allowed to run, and links to its pages. */
function commandsOf(site: Site, me: User): Command[] {
  const { change, signIn } = obstaclesOf(site, me);
  const { fqdn } = site;
  const name = titleOfSite(site);
  const about = { group: 'For a site', ...(site.title && { hint: fqdn }) } as const;
  const run = (act: () => Promise<unknown>) => () => void act().catch((error) => toast.error(messageOf(error)));
  const actions: (Command | false)[] = [
    signIn === undefined && {
      ...about,
      label: `Open wp-admin of ${name}`,
      keywords: ACTION_SYNONYMS.wpAdmin,
      Icon: KeyIcon,
      run: run(() => openInTab(() => api.createSiteLogin({ params: { fqdn }, query: { stage: false } }))),
    },
    change === undefined && {
      ...about,
      label: `Purge cache of ${name}`,
      keywords: ACTION_SYNONYMS.purge,
      Icon: ClearIcon,
      run: run(async () => {
        await api.clearSiteCache({ params: { fqdn } });
        toast.success(`The cache of ${name} is empty.`);
      }),
    },
    change === undefined && {
      ...about,
      label: `Restore ${name}`,
      keywords: ACTION_SYNONYMS.restore,
      Icon: HistoryIcon,
      to: siteLink(fqdn, 'time', false),
    },
    {
      ...about,
      label: `Visit ${name}`,
      keywords: ACTION_SYNONYMS.visit,
      Icon: OpenIcon,
      run: () => void window.open(propertiesOf(site).url, '_blank', 'noopener'),
    },
  ];
  const pages = pagesOf(site, undefined).map(
    ({ label, Icon, path }): Command => ({
      ...about,
      label: `${label} of ${name}`,
      keywords: SITE_SYNONYMS[path] ?? [],
      Icon,
      to: siteLink(fqdn, path, false),
    }),
  );
  return [...actions.filter((command) => command !== false), ...pages];
}

function useFixedCommands(): Command[] {
  const me = useMe();
  const team = useCurrentTeam();
  const { signOut } = useSession();
  const { fqdn } = useParams({ strict: false });
  const site = useQuery({ ...siteQuery(fqdn ?? ''), enabled: fqdn !== undefined }).data;
  const page = (label: string, Icon: LucideIcon, to: LinkProps, ...keywords: string[]): Command => ({
    group: 'Pages',
    label,
    Icon,
    to,
    keywords,
  });
  const ofTeam = (label: string, Icon: LucideIcon, path: string, ...keywords: string[]): Command[] =>
    team
      ? [page(label, Icon, { to: '/teams/$teamId/$page', params: { teamId: team.id, page: path } }, ...keywords)]
      : [];
  const action = (label: string, Icon: LucideIcon, run: () => void): Command => ({
    group: 'Actions',
    label,
    Icon,
    run,
  });
  return [
    ...(site && fqdn
      ? pagesOf(site, undefined).map(
          ({ label, Icon, path }): Command => ({
            group: 'This site',
            label,
            hint: fqdn,
            keywords: SITE_SYNONYMS[path] ?? [],
            Icon,
            to: siteLink(fqdn, path, false),
          }),
        )
      : []),
    page('Home', HomeIcon, { to: '/' }),
    page('Sites', SitesIcon, { to: '/sites' }),
    page('Templates', TemplateIcon, { to: '/templates' }),
    page('Activity', ActivityIcon, { to: '/activity' }),
    page('Support', SupportIcon, { to: '/tickets' }, 'help', 'tickets', 'contact'),
    ...ofTeam('Usage & billing', BillingIcon, 'billing', 'plan', 'invoices', 'upgrade', 'payment', 'bandwidth'),
    ...ofTeam('Members', TeamsIcon, 'members', 'invite', 'users', 'people', 'roles'),
    ...(team ? [page('Team settings', SettingsIcon, { to: '/teams/$teamId', params: { teamId: team.id } })] : []),
    page('API tokens', DevelopersIcon, { to: '/developers/$page', params: { page: 'tokens' } }),
    page('SSH keys', KeyIcon, { to: '/developers/$page', params: { page: 'ssh-keys' } }, 'sftp', 'ftp'),
    page('Account', SettingsIcon, { to: '/account' }, 'profile', 'password', '2fa', 'passkeys', 'notifications'),
    ...(me.is_superuser ? [page('Operator', OperatorIcon, { to: '/operator' })] : []),
    { group: 'Actions', label: 'Create a site', Icon: PlusIcon, to: { to: '/sites/new' } },
    { group: 'Actions', label: 'Create a team', Icon: PlusIcon, to: { to: '/teams/new' } },
    action('Use the light theme', SunIcon, () => setTheme('light')),
    action('Use the dark theme', MoonIcon, () => setTheme('dark')),
    action('Sign out', SignOutIcon, () => void signOut()),
  ];
}
