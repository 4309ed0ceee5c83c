import { type Caller, hasRoleOnSite, hasScope } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';

/** A change of rights is heard of at once; that the site went to another team, by looking. */
const LOOK_MS = 25_000;

/** Somebody at a terminal of a site, in the browser or by ssh. */
export interface Sitting {
  caller: Caller;
  site: SiteRow;
}

/** Whose credential it is, as they are now, and the site; undefined where they may not sit at a terminal of it. */
export async function findSitting(
  services: Services,
  { credential_id: id, site_id }: { credential_id: string; site_id: string },
): Promise<Sitting | undefined> {
  const caller = await services.credentials.renew({ credential: { id } });
  const site = await findSiteById(services.db, site_id);
  return caller && site && maySit(caller, site) ? { caller, site } : undefined;
}

const maySit = (caller: Caller, site: SiteRow) => hasRoleOnSite(caller, site, 'member') && hasScope(caller, 'write');

/** Whether somebody who sits at a terminal of the site still may. */
export async function stillMay(services: Services, caller: Caller, siteId: string): Promise<boolean> {
  return (await findSitting(services, { credential_id: caller.credential.id, site_id: siteId })) !== undefined;
}

/**
 * Calls `lost` when somebody at a terminal of the site no longer may be there: right now, or as soon as that is so. Returns what ends the
 * watch.
 */
export async function watchRights(
  services: Services,
  caller: Caller,
  siteId: string,
  lost: () => void,
): Promise<() => void> {
  let leave = () => {};
  let isOver = false;
  let isHeard = false;
  const stop = () => {
    isOver = true;
    clearInterval(clock);
    leave();
  };
  const look = async () => {
    if (isOver || (await stillMay(services, caller, siteId)) || isOver) return;
    stop();
    lost();
  };
  const listen = async () => {
    isHeard = true;
    let hasBegun = false;
    const end = () => {
      isHeard = false;
      // Else it is looked at right away, and listened to again by the clock.
      if (hasBegun && !isOver) listen().catch(() => {});
    };
    leave = await services.events.subscribe({ caller, isWatch: true, receive: () => {}, end }).catch((error) => {
      isHeard = false;
      throw error;
    });
    hasBegun = true;
    if (isOver) return leave();
    // Only now could no change be missed.
    await look();
  };
  const clock = setInterval(() => (isHeard ? look() : listen()).catch(() => {}), LOOK_MS).unref();
  await listen().catch((error) => {
    stop();
    throw error;
  });
  return stop;
}
