import type { Services } from '#core/services.ts';
import type { HostedSpec } from '#host/site-host.ts';
import type { SiteRow } from './instance.sql.ts';

/** A site's address: its name with the scheme and the port of the platform. */
export function siteUrl({ config }: Pick<Services, 'config'>, fqdn: string): string {
  const { protocol, port } = new URL(config.baseUrl);
  return `${protocol}//${fqdn}${port && `:${port}`}`;
}

export type DescribedRow = Pick<
  SiteRow,
  'id' | 'kind' | 'team_id' | 'fqdn' | 'core_version' | 'php_version' | 'debug_enabled' | 'host' | 'driver'
>;

/** All that its host needs to know of an instance. One that is still being created may have no versions yet. */
export function specOf(services: Pick<Services, 'config' | 'secrets'>, site: DescribedRow): HostedSpec {
  return {
    id: site.id,
    host: site.host,
    driver: site.driver,
    team: site.team_id,
    url: siteUrl(services, site.fqdn),
    coreVersion: site.core_version ?? '',
    phpVersion: site.php_version ?? '',
    accessKey: services.secrets.derive(`site access ${site.id}`),
    saltKey: services.secrets.deriveLasting(`site access ${site.id}`),
    isCopy: site.kind !== 'live',
    isOffline: site.kind === 'preview',
    isDebugging: site.debug_enabled,
  };
}

/** What the door of a preview is signed with. */
export function previewKey({ secrets }: Pick<Services, 'secrets'>, previewId: string): string {
  return secrets.derive(`preview ${previewId}`);
}
