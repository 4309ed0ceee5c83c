import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { TAR_END, tarHeader, tarPadding } from '#core/archive/tar-writer.ts';
import type { Services } from '#core/services.ts';
import { Shares } from '#core/shares.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { snapshotNameOf, viewpointOf } from './backup.place.ts';
import { downloadRuns } from './backup.schema.ts';
import type { BackupRow } from './backup.sql.ts';

/** One at a time for each team: it reads all that a site has, in turns with whatever else the team reads of its backups. */
const downloads = new Shares(1);
const FILES_A_PAGE = 1_000;

/**
 * A backup as a tar file, made as it is read: `database.sql` first, then all files below `wp-content`. Links are left out, as importing does. A tar
 * file says how long a content is before it comes, so the database is written twice, and the first time only counted.
 */
export async function openArchive(services: Services, site: SiteRow, backup: BackupRow): Promise<Readable> {
  const release = downloads.take(site.team_id);
  if (!release) throw downloadRuns();
  const source = Readable.from(pieces(services, site, backup), { objectMode: false });
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Whoever goes away in the middle ends the reading too.
  return pipeline(source, gzip, release);
}

async function* pieces(services: Services, site: SiteRow, backup: BackupRow): AsyncGenerator<Uint8Array> {
  const { db, hosts } = services;
  const kept = await viewpointOf(db, site);
  const moment = snapshotNameOf(backup);
  const { timeMs: modifiedMs } = moment;
  let sizeBytes = 0;
  for await (const part of await hosts.keptDump(site, kept, moment)) sizeBytes += part.length;
  yield tarHeader({ path: 'database.sql', sizeBytes, modifiedMs });
  yield* await hosts.keptDump(site, kept, moment);
  yield tarPadding(sizeBytes);
  for (let after: string | undefined; ; ) {
    const part = { prefix: '', limit: FILES_A_PAGE, after };
    const page = await hosts.keptFiles(site, kept.space, moment, part);
    for (const file of page.files) {
      yield tarHeader({
        path: `wp-content/${file.path}`,
        sizeBytes: file.sizeBytes,
        modifiedMs: file.modifiedUs / 1000,
      });
      if (file.sizeBytes > 0) yield* await hosts.readKeptFile(site, kept.space, file.ref, 0, file.sizeBytes);
      yield tarPadding(file.sizeBytes);
    }
    if (!page.isTruncated) break;
    after = page.last;
  }
  yield TAR_END;
}
