import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';

/**
 * Rows that a stage adds from now on get other numbers than those that its live site adds from now on. A live site that can not be asked, which
 * may be why somebody makes a stage of an older point, is no reason to fail.
 */
export async function keepNumbersApart({ hosts, log }: Services, live: SiteRef, stage: SiteRef): Promise<void> {
  const above = await hosts.numbers(live).catch((error) => {
    log.warn({ err: error, siteId: live.id }, 'the numbers of a live site are not known');
    return {};
  });
  await hosts.spreadNumbers(stage, above);
}
