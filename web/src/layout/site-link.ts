import { linkOptions } from '@tanstack/react-router';

/** Where a page of a site is: of the live site, or of its stage. */
export function siteLink(fqdn: string, page: string, isStaging: boolean) {
  const search = isStaging ? { env: 'staging' as const } : {};
  return page === ''
    ? linkOptions({ to: '/sites/$fqdn', params: { fqdn }, search })
    : linkOptions({ to: '/sites/$fqdn/$page', params: { fqdn, page }, search });
}
