import { randomUUID } from 'node:crypto';
import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { findBackupByHash } from '#features/backup/backup.ts';
import { deleteSite, removeFilesSoon, type SiteRow, visitSite } from '#features/instance/instance.ts';
import { findPreview, insertCopy, makeCopy, type PreviewRow } from '#features/preview/preview.ts';
import { AnswerTooLarge } from '#runtimes/request.ts';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';
import type { KeptMoment } from './break-search.sql.ts';

/** What a fine page is. */
export interface Wanted {
  path: string;
  text: string | null;
  isAbsent: boolean;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Makes a copy of the site as it was then, asks it for the page, and removes it. */
export async function isBrokenAt(
  services: Services,
  site: SiteRow,
  moment: KeptMoment,
  wanted: Wanted,
): Promise<boolean> {
  const { db, hosts } = services;
  const backup = await findBackupByHash(db, site.id, moment.commit_hash);
  if (!backup) throw new Error('a backup went away while it was looked for');
  const id = randomUUID();
  await inTransaction(db, (tx) => insertCopy(tx, services, site, { id, backup, userId: site.user_id }));
  const copy = (await findPreview(db, id)) as PreviewRow;
  try {
    await makeCopy(services, copy);
    return !(await isFine(services, id, wanted));
  } finally {
    await hosts.stop(copy);
    await inTransaction(db, async (tx) => {
      await deleteSite(tx, id);
      await removeFilesSoon(tx, copy);
    });
  }
}

async function isFine(services: Services, id: string, { path, text, isAbsent }: Wanted): Promise<boolean> {
  const request = { method: 'GET', path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const answer = await visitSite(services, id, request).catch((error: unknown) => {
    // A page that does not come is what people call broken. Where the platform is to blame, the look is made again.
    if (isOwnDoing(error)) return undefined;
    throw error;
  });
  if (!answer || answer.status >= 400) return false;
  return text === null || answer.body.includes(text) !== isAbsent;
}

const OWN_DOING: ReadonlySet<SiteFailureReason> = new Set(['timeout', 'memory', 'crash']);

/** PHP failed, or the answer took too long or was too large. */
function isOwnDoing(error: unknown): boolean {
  if (error instanceof SiteFailure) return OWN_DOING.has(error.reason);
  return error instanceof AnswerTooLarge || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));
}
