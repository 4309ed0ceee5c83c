import type { Services } from '#core/services.ts';
import { spaceOf } from '#features/backup/backup.ts';
import { specOf, withKeptVersion } from '#features/instance/instance.ts';
import type { HostedSpec } from '#host/site-host.ts';
import type { PreviewRow } from './preview.sql.ts';

/** Makes the files and the database of a copy of the backup that its row names. */
export async function makeCopy(services: Services, preview: PreviewRow): Promise<HostedSpec> {
  const { db, hosts } = services;
  const moment = { hash: preview.commit_hash, timeMs: preview.restore_point.getTime() };
  const space = await spaceOf(db, preview.of_site_id);
  const spec = specOf(services, await withKeptVersion(services, preview));
  await hosts.make(spec, { kind: 'cut', space, site: preview.of_site_id, moment });
  return spec;
}
