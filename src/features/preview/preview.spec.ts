import type { Services } from '#core/services.ts';
import { specOf } from '#features/site/site.ts';
import type { HostedSpec } from '#host/site-host.ts';
import type { PreviewRow } from './preview.sql.ts';

export function previewKey({ secrets }: Pick<Services, 'secrets'>, previewId: string): string {
  return secrets.derive(`preview ${previewId}`);
}

/** A copy that is looked at and nothing else. */
export function specOfPreview(services: Pick<Services, 'config' | 'secrets'>, row: PreviewRow): HostedSpec {
  const { newSites } = services.config;
  return { ...specOf(services, { ...row, ...newSites, debug_enabled: false }), isCopy: true, isOffline: true };
}
