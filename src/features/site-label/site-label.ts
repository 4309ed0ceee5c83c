import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { type LabelChange, type LabelledSites, MAX_LABELS, tooManyLabels } from './site-label.schema.ts';
import { lockSitesOfTeam, writeLabels } from './site-label.sql.ts';

/** All of them or none: whoever names a site that is not there learns that before anything changed. */
export async function labelSites(
  db: Db,
  caller: Caller,
  teamId: string,
  { fqdns, add = [], remove = [] }: LabelChange,
): Promise<LabelledSites> {
  const names = [...new Set(fqdns)];
  const sites = await lockSitesOfTeam(db, teamId, names);
  if (sites.length < names.length) throw siteNotFound();
  const changed = sites.flatMap((site) => {
    const labels = [...new Set([...site.labels, ...add])].filter((label) => !remove.includes(label)).sort();
    return labels.join(',') === site.labels.join(',') ? [] : [{ ...site, labels }];
  });
  if (changed.some(({ labels }) => labels.length > MAX_LABELS)) throw tooManyLabels();
  if (changed.length === 0) return { changed: 0 };
  await writeLabels(db, changed);
  const [first] = changed;
  const one = changed.length === 1 ? first : undefined;
  await recordEvent(db, {
    scope: 'team',
    event_type: 'site.labelled',
    activity: `${caller.fullName} changed the labels of ${one?.fqdn ?? `${changed.length} sites`}`,
    by: caller,
    team_id: teamId,
    ...(one && { fqdn: one.fqdn, item_id: one.id }),
    detail: { fqdns: changed.map(({ fqdn }) => fqdn), add, remove },
  });
  return { changed: changed.length };
}
