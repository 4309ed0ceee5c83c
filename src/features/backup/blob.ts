import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { API_PREFIX } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';
import { findFiles } from './backup.files.ts';
import { type BlobUrls, type BlobWish, blobNotFound, noBackup } from './backup.schema.ts';
import { type BackupRow, listBackups } from './backup.sql.ts';
import { readVersion, signVersion } from './backup.version.ts';

/** Links to single files of a backup. A link says by itself what it opens and until when, and is signed. */
const VALID_MS = 3_600_000;
const PURPOSE = 'link to a file of a backup';

export interface Link {
  siteId: string;
  /** How the file is called, without the way to it: a link has to stay short. */
  name: string;
  version: string;
  expiresMs: number;
}

export async function createBlobUrls(
  db: Db,
  services: Services,
  site: SiteRef,
  atDate: Date,
  { keys, version_ids }: BlobWish,
): Promise<BlobUrls> {
  const siteId = site.id;
  const versions = version_ids ?? [];
  if (versions.length > 0 && versions.length !== keys.length)
    throw invalid(bodyFault('version_ids', 'Value error, give one version for each key, or none at all'));
  const refs = versions.map((version) => version && readVersion(services, siteId, version));
  if (refs.includes(undefined))
    throw invalid(
      bodyFault('version_ids', 'Value error, a version is what PIT files or a preview of this site calls version_id'),
    );
  const unnamed = keys.filter((_, index) => !refs[index]);
  const backup = unnamed.length > 0 ? (await listBackups(db, siteId, atDate, 1))[0] : undefined;
  if (unnamed.length > 0 && !backup) throw noBackup();
  const found = backup ? await findVersions(services, site, backup, unnamed) : new Map<string, string>();
  const expiresMs = Date.now() + VALID_MS;
  return {
    urls: keys.map((key, index) => {
      const version = refs[index] || (found.get(key) as string);
      const token = sign(services, { siteId, name: key.split('/').at(-1) ?? 'file', version, expiresMs });
      const url = `${services.config.baseUrl}${API_PREFIX}/blob?token=${token}`;
      return { key, version_id: signVersion(services, siteId, version), url, expires_at: new Date(expiresMs) };
    }),
  };
}

async function findVersions(
  services: Services,
  site: SiteRef,
  backup: BackupRow,
  keys: string[],
): Promise<Map<string, string>> {
  const files = await findFiles(services, site, backup, keys);
  const missing = keys.filter((_, index) => !files[index]);
  if (missing.length > 0) throw blobNotFound({ data: { missing } });
  return new Map(files.flatMap((file) => (file ? [[file.path, file.ref]] : [])));
}

/** What a link opens; undefined where it is not ours or its time is over. */
export function readLink({ secrets }: Services, token: string): Link | undefined {
  const [payload = '', signature = ''] = token.split('.');
  if (!secrets.isSigned(PURPOSE, payload, signature)) return undefined;
  const [siteId, name, version, expiresMs] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return expiresMs > Date.now() ? { siteId, name, version, expiresMs } : undefined;
}

function sign({ secrets }: Services, { siteId, name, version, expiresMs }: Link): string {
  const payload = Buffer.from(JSON.stringify([siteId, name, version, expiresMs])).toString('base64url');
  return `${payload}.${secrets.sign(PURPOSE, payload)}`;
}
