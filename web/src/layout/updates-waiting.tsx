import type { Site } from '#sdk';
import { formatAmount } from '../ui/format.ts';

/** What a site could be updated of, where there is anything. */
export function UpdatesWaiting({ site }: { site: Pick<Site, 'updates_waiting' | 'security_update'> }) {
  if (site.updates_waiting === 0) return null;
  return site.security_update === null ? (
    <span className="text-warn-text">{formatAmount(site.updates_waiting, 'update')}</span>
  ) : (
    <span className="text-danger-text">Security update</span>
  );
}
