import { randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { previewToken } from '#edge/preview.ts';
import type { BackupRow } from '#features/backup/backup.ts';
import { hold } from '#features/hold/hold.ts';
import {
  deleteSite,
  lockNamedSite,
  newPasswords,
  previewKey,
  recordSiteEvent,
  type SiteRow,
  siteUrl,
} from '#features/instance/instance.ts';
import { insertNamedSite } from '#features/site-name/site-name.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { buildPreview } from './preview.jobs.ts';
import { type Preview, tooManyPreviews } from './preview.schema.ts';
import { HALF_AN_HOUR_FROM_NOW, insertPreview, listPreviews, type PreviewRow } from './preview.sql.ts';

export { makeCopy } from './preview.copy.ts';
export { findPreview, type PreviewRow } from './preview.sql.ts';

const AT_MOST = 3;
/** How long the way from the dashboard to the preview may take. */
const ENTRY_MS = 60_000;
/** By then every edge knows the way to it. */
const HEARD_MS = 500;

/** Begins to make a browsable copy of the site as it was, unless the caller has one; the address shows it as soon as it is there. */
export async function createPreview(
  call: Call,
  named: SiteRow,
  { backup, restorePoint }: { backup: BackupRow; restorePoint: Date },
): Promise<{ url: string; expires_at: Date }> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  const open = await listPreviews(db, site.id);
  const own = open.filter(({ user_id }) => user_id === caller.userId);
  const known = own.find((each) => each.commit_hash === backup.commit_hash && each.lasts);
  if (known) return { url: `${services.config.baseUrl}/preview/${known.id}`, expires_at: known.expires_at };
  if (open.length >= AT_MOST) {
    // Whoever looks at one minute after another is done with the first.
    if (!own[0]) throw tooManyPreviews();
    await deleteSite(db, own[0].id);
  }
  const id = randomUUID();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'restore.preview',
    activity: `${caller.fullName} looked at ${site.fqdn} as of ${restorePoint.toISOString()}`,
    item_id: id,
    unfinished: true,
  });
  const expires_at = await insertCopy(db, services, site, { id, backup, userId: caller.userId });
  await hold(db, [id], 'creating', eventId);
  await services.jobs.enqueue(db, buildPreview, { siteId: id, eventId });
  call.headers['operation-id'] = eventId;
  return { url: `${services.config.baseUrl}/preview/${id}`, expires_at };
}

/** The row of a copy that is made of a backup. It ends by itself after half an hour, whoever made it and whatever became of them. */
export async function insertCopy(
  db: Db,
  services: Services,
  site: SiteRow,
  { id, backup, userId }: { id: string; backup: BackupRow; userId: string },
): Promise<Date> {
  const copy = await insertNamedSite(db, {
    id,
    kind: 'preview',
    of_site_id: site.id,
    expires_at: HALF_AN_HOUR_FROM_NOW,
    team_id: site.team_id,
    user_id: userId,
    region_id: site.region_id,
    host: site.host,
    driver: site.driver,
    // A name that nobody guesses.
    fqdn: `preview-${randomBytes(16).toString('hex')}.${services.config.siteDomain}`,
    domain_option: 'platform',
    is_testing: true,
    core_version: backup.core_version ?? site.core_version,
    php_version: backup.php_version ?? site.php_version,
    db_prefix: site.db_prefix,
    // What is looked at is not kept in the cache.
    cdn_dev_mode_enabled: true,
    ...newPasswords(services),
  });
  if (!copy?.expires_at) throw new Error('the name of a new preview is taken');
  await insertPreview(db, id, { commit_hash: backup.commit_hash, restore_point: backup.created_at });
  return copy.expires_at;
}

/** With an address that lets its holder in, for as long as it takes to follow it. */
export function viewPreview(services: Services, row: PreviewRow): Preview {
  const { id, restore_point, ready_at, expires_at, live_fqdn: fqdn, is_of_stage } = row;
  const is_ready = ready_at !== null && ready_at.getTime() + HEARD_MS < Date.now();
  const expiresMs = Math.min(Date.now() + ENTRY_MS, expires_at.getTime());
  const token = previewToken(previewKey(services, id), row.fqdn, expiresMs);
  const url = is_ready ? `${siteUrl(services, row.fqdn)}/.siteyard/preview?token=${token}` : null;
  return { id, fqdn, is_of_stage, restore_point, is_ready, expires_at, url };
}
