import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import { type Upload, withUpload } from '#core/http/upload.ts';
import { removeFilesSoon, specOf, storageLeft } from '#features/instance/instance.ts';
import { placeInRegion, type Region } from '#features/region/region.ts';
import { nameIsClaimed, readClaim, requireFreeName, takenName } from '#features/site-name/site-name.ts';
import type { HostedSpec } from '#host/site-host.ts';
import type { ArchiveSource } from '#runtimes/runtime.ts';
import { addSite, findPlace, type PreparedPlace, requireRoom } from './site.create.ts';

import { importRefused, importRunning, type Site, type SitePlace } from './site.schema.ts';

/** A site that is on its host already, and that no table knows yet. */
export interface PreparedImport extends PreparedPlace {
  spec: HostedSpec;
  storageBytes: number;
}

/**
 * Makes the site on its host while the request waits, so that whoever asks learns what is wrong with the archive. Where the platform is killed
 * before the row is there, the host keeps a site that nobody knows, which is removed a day later (instance/clean-up.jobs.ts).
 */
export async function prepareImport(call: Call<unknown, SitePlace>, upload: Upload): Promise<PreparedImport> {
  const { services, query } = call;
  const { leftBytes, ...place } = await requirePlace(call, upload.sizeBytes);
  try {
    // Each may fill its share of the disk.
    return await services.locks.alone(`import of ${query.team_id}`, 0, async () => {
      const folder = join(services.config.dataDir, 'uploads');
      const limits = { folder, maxBytes: Math.min(services.config.importMaxBytes, leftBytes) };
      return { ...place, ...(await withUpload(upload, limits, (archive) => makeSite(call, place.region, archive))) };
    });
  } catch (error) {
    throw error instanceof LockBusy ? importRunning() : error;
  }
}

/** All that can be refused before the first byte of the archive is read. */
async function requirePlace(
  { db, services, caller, query }: Call<unknown, SitePlace>,
  sizeBytes: number | undefined,
): Promise<PreparedPlace & { leftBytes: number }> {
  const { fqdn, team_id } = query;
  const { region, faults } = await findPlace(db, services, caller, query);
  if (faults.length > 0 || !region)
    throw invalid(...faults.map((fault) => ({ ...fault, loc: ['query', ...fault.loc.slice(1)] })));
  const leftBytes = await inTransaction(services.db, async (tx) =>
    storageLeft(tx, await requireRoom(tx, caller, query, sizeBytes)),
  );
  const claim = await readClaim(db, services, fqdn, team_id);
  if (claim.proof !== 'shown' && (await nameIsClaimed(db, fqdn))) throw takenName(services, team_id, fqdn, claim);
  await requireFreeName(db, services, fqdn, team_id, claim);
  return { region, claim, leftBytes };
}

async function makeSite(
  call: Call<unknown, SitePlace>,
  region: Region,
  archive: ArchiveSource,
): Promise<Pick<PreparedImport, 'spec' | 'storageBytes'>> {
  const { services, caller, query } = call;
  const { hosts, config } = services;
  const id = randomUUID();
  const place = placeInRegion(config, region, id);
  const versions = await hosts.prepared(place);
  const spec = specOf(services, {
    ...place,
    ...{ id, kind: 'live', team_id: query.team_id, fqdn: query.fqdn, debug_enabled: false },
    ...{ core_version: versions.coreVersion, php_version: versions.phpVersion },
  });
  try {
    await hosts.make(spec, { kind: 'import', ...archive, change: { people: 'kept', email: caller.email } });
    return { spec, storageBytes: await hosts.diskUsageBytes(spec) };
  } catch (error) {
    await discard(call, spec);
    if (!(error instanceof ArchiveRefused)) throw error;
    const message = `the archive can not be taken: ${error.message}`;
    const fault = { loc: ['body'], msg: `Value error, ${message}`, type: 'value_error' };
    throw importRefused({ message, faults: [fault] });
  }
}

/** Writes the row of what was made, its name, its event and the job that opens it. */
export async function importSite(call: Call<unknown, SitePlace>, { spec, ...prepared }: PreparedImport): Promise<Site> {
  const { id, host, driver, coreVersion, phpVersion } = spec;
  try {
    return await addSite(call, call.query, {
      ...prepared,
      ...{ id, at: { host, driver }, activity: 'imported', content: { imported: { coreVersion, phpVersion } } },
    });
  } catch (error) {
    await discard(call, spec);
    throw error;
  }
}

/** Nobody gets to know of it; what can not be removed now is removed as soon as its host answers. */
async function discard({ services }: Pick<Call, 'services'>, spec: HostedSpec): Promise<void> {
  const { db, hosts, log } = services;
  await hosts.delete(spec).catch(async (error) => {
    log.warn({ err: error, siteId: spec.id }, 'what is left of an import could not be removed; it is tried again');
    await removeFilesSoon(db, spec);
  });
}
