import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type LinkProps, useParams } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { api } from '../api/client.ts';
import { useCurrentTeam } from '../api/current-team.ts';
import { useMe, useSession } from '../api/session.ts';
import { siteQuery, titleOfSite } from '../api/sites.ts';
import {
  ActivityIcon,
  BillingIcon,
  DevelopersIcon,
  DocsIcon,
  HomeIcon,
  KeyIcon,
  MoonIcon,
  OperatorIcon,
  PlusIcon,
  SettingsIcon,
  SignOutIcon,
  SitesIcon,
  SunIcon,
  SupportIcon,
  TeamsIcon,
} from '../ui/icons.ts';
import { setTheme } from '../ui/theme.ts';
import { siteLink } from './site-link.ts';
import { pagesOf } from './site-pages.ts';

export type Command = {
  group: 'Sites' | 'This site' | 'Pages' | 'Actions' | 'Docs';
  label: string;
  hint?: string;
  Icon: LucideIcon;
} & ({ to: LinkProps } | { href: string } | { run: () => void });

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
  const words = typed.trim().toLowerCase();
  const isMatch = ({ label, hint = '' }: Command) => `${label}\n${hint}`.toLowerCase().includes(words);
  const fixed = useFixedCommands().filter(({ label }) => label.toLowerCase().includes(words));
  const sites = useQuery(foundSitesQuery(search));
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
      ...fixed,
      ...(isTyping || docs.isPlaceholderData ? foundDocs.filter(isMatch) : foundDocs),
    ],
    isSearching: isTyping || sites.isFetching || docs.isFetching,
  };
}

function useFixedCommands(): Command[] {
  const me = useMe();
  const team = useCurrentTeam();
  const { signOut } = useSession();
  const { fqdn } = useParams({ strict: false });
  const site = useQuery({ ...siteQuery(fqdn ?? ''), enabled: fqdn !== undefined }).data;
  const page = (label: string, Icon: LucideIcon, to: LinkProps): Command => ({ group: 'Pages', label, Icon, to });
  const ofTeam = (label: string, Icon: LucideIcon, path: string): Command[] =>
    team ? [page(label, Icon, { to: '/teams/$teamId/$page', params: { teamId: team.id, page: path } })] : [];
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
            Icon,
            to: siteLink(fqdn, path, false),
          }),
        )
      : []),
    page('Home', HomeIcon, { to: '/' }),
    page('Sites', SitesIcon, { to: '/sites' }),
    page('Activity', ActivityIcon, { to: '/activity' }),
    page('Support', SupportIcon, { to: '/tickets' }),
    ...ofTeam('Usage & billing', BillingIcon, 'billing'),
    ...ofTeam('Members', TeamsIcon, 'members'),
    ...(team ? [page('Team settings', SettingsIcon, { to: '/teams/$teamId', params: { teamId: team.id } })] : []),
    page('API tokens', DevelopersIcon, { to: '/developers/$page', params: { page: 'tokens' } }),
    page('SSH keys', KeyIcon, { to: '/developers/$page', params: { page: 'ssh-keys' } }),
    page('Account', SettingsIcon, { to: '/account' }),
    ...(me.is_superuser ? [page('Operator', OperatorIcon, { to: '/operator' })] : []),
    { group: 'Actions', label: 'Create a site', Icon: PlusIcon, to: { to: '/sites/new' } },
    { group: 'Actions', label: 'Create a team', Icon: PlusIcon, to: { to: '/teams/new' } },
    action('Use the light theme', SunIcon, () => setTheme('light')),
    action('Use the dark theme', MoonIcon, () => setTheme('dark')),
    action('Sign out', SignOutIcon, () => void signOut()),
  ];
}
