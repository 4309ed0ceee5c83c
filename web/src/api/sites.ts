import { queryOptions } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { visit } from '../visit.ts';
import { api } from './client.ts';

export const siteQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['sites', 'one', fqdn],
    queryFn: ({ signal }) => api.getSite({ params: { fqdn }, signal }),
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });

/** Whether a site could have this name. */
export const siteNameQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['site-name', fqdn],
    queryFn: ({ signal }) => api.checkSiteName({ query: { fqdn }, signal }),
    retry: false,
  });

/** What the open object `properties` of a site holds. */
type Properties = {
  url: string;
  core_version: string | null;
  php_version: string | null;
  cdn: Cdn;
  backup: BackupState;
  code_server: EditorState;
};

export type EditorState = {
  state: 'off' | 'installing' | 'asleep' | 'running' | 'failed';
  url: string | null;
  progress?: { step: string; done: number; of: number };
  reason?: string;
};

type BackupState = { last_at: string | null; failing_since: string | null; failure: string | null };

type Cdn = {
  dev_mode_enabled: boolean;
  firewall_enabled: boolean;
  firewall_allowed_ips: string[];
  /** Of this billing cycle; null before the first visit. */
  cache_hit_ratio: number | null;
  cache_objects: number;
  cache_bytes: number;
  bandwidth_saved: number;
};

/** Display name of a site: its title, or its host name if it has none. */
export function titleOfSite({ title, fqdn }: Pick<Site, 'title' | 'fqdn'>): string {
  return title || fqdn;
}

export function propertiesOf(site: Site): Properties {
  return site.properties as Properties;
}

const works: Record<string, string> = {
  creating: 'Creating',
  updating: 'Updating',
  deleting: 'Deleting',
  restoring: 'Restoring',
  staging: 'Copying to staging',
  committing: 'Committing',
  git_sync: 'Syncing with Git',
};

export type SiteState = {
  kind: 'live' | 'protected' | 'pending' | 'asleep' | 'failing' | 'busy' | 'stopped';
  label: string;
  /** Why visitors cannot reach the site, as a sentence. */
  reason?: string | null;
};

/** No state is named like an environment (live, staging), since both appear on the same page. */
const reachable: Record<Site['reachability']['state'], Pick<SiteState, 'kind' | 'label'>> = {
  live: { kind: 'live', label: 'Online' },
  protected: { kind: 'protected', label: 'Protected' },
  dns_pending: { kind: 'pending', label: 'DNS pending' },
  certificate_pending: { kind: 'pending', label: 'Certificate pending' },
  asleep: { kind: 'asleep', label: 'Sleeping' },
  failing: { kind: 'failing', label: 'Down' },
  busy: { kind: 'busy', label: 'Creating' },
  stopped: { kind: 'stopped', label: 'Stopped' },
};

export function stateOf(site: Site): SiteState {
  if (!site.team.is_active) return { kind: 'stopped', label: 'Suspended' };
  if (site.team.is_expired) return { kind: 'stopped', label: 'Unpaid' };
  if (site.busy !== null) return { kind: 'busy', label: works[site.busy] ?? site.busy };
  const { state, reason } = site.reachability;
  return { ...reachable[state], reason };
}

/** Whose files, backups, lines: a site's, or those of its stage. */
export type Place = { fqdn: string; stage: boolean };

/** Where the platform serves a site of this name: with the dashboard's own scheme and port. */
export function addressOf(fqdn: string): string {
  const { protocol, port } = new URL(visit().origin);
  return `${protocol}//${fqdn}${port && `:${port}`}`;
}
