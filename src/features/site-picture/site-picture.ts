import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { backupStates } from '#features/backup/backup.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import type { KeptPicture } from './picture-shelf.ts';
import { drawPicture } from './site-picture.drawing.ts';
import { Studio } from './studio.ts';

/** A picture of a site that changed is at least so old before the next is taken. */
const NOT_BEFORE_MS = 2 * 3_600_000;
/** A new site is worked on. */
const NOT_BEFORE_OF_NEW_MS = 5 * 60_000;
const NEW_MS = 86_400_000;

const studios = new WeakMap<Services, Studio>();

/** The one of this process. */
export function studioOf(services: Services): Studio {
  const known = studios.get(services);
  if (known) return known;
  const studio = new Studio(services);
  studios.set(services, studio);
  return studio;
}

export interface ShownPicture extends Pick<KeptPicture, 'content' | 'type'> {
  /** Whether a better one is on its way. */
  isWaiting: boolean;
}

/** What there is of a site now: the last picture, or a drawing. Where the site changed since, another one is taken for the next who looks. */
export async function pictureOf(db: Db, services: Services, site: SiteRow): Promise<ShownPicture> {
  const studio = studioOf(services);
  const kept = await studio.shelf.find(site.id);
  const mayBeTaken = !site.is_sleeping && site.busy === null;
  if (mayBeTaken && (!kept || (await isOld(db, site, kept)))) studio.want(site);
  if (kept) return { ...kept, isWaiting: false };
  // A site that is being created will have one in a moment; one that sleeps is not woken for it.
  const isWaiting = !site.is_sleeping;
  return { content: drawPicture(site, !isWaiting), type: 'image/svg+xml', isWaiting };
}

/** A backup is taken of each minute in which something changed. */
async function isOld(db: Db, site: SiteRow, { takenAtMs }: KeptPicture): Promise<boolean> {
  const isNew = Date.now() - site.created_at.getTime() < NEW_MS;
  if (Date.now() - takenAtMs < (isNew ? NOT_BEFORE_OF_NEW_MS : NOT_BEFORE_MS)) return false;
  const changedAt = (await backupStates(db, [site.id])).get(site.id)?.last_backup_at;
  return (changedAt?.getTime() ?? 0) > takenAtMs;
}
