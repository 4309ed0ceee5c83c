import { join } from 'node:path';
import { siteHostParts } from '#core/cluster.ts';
import type { Secrets } from '#core/secrets.ts';
import type { StoreDescription } from '#timemachine/stores/open-store.ts';
import type { S3Access } from '#timemachine/stores/s3-client.ts';
import type { SealDescription } from '#timemachine/stores/sealed.ts';
import type { Config } from '../config.ts';

/** What opens the store of a host: keys of the platform's, or, in the pod of a site, the platform's door. */
export interface StoreAccess {
  seal: SealDescription;
  /** How a bucket is asked there. */
  place: { kind: 'disk'; folder: string } | { kind: 's3'; account: S3Access };
  /** Tells whose the host's own place in it is. */
  owner: string;
}

/** Its key lasts: what is sealed with it outlives every change of the platform's own. As Base64. */
export const sealingKey = ({ deriveLasting }: Pick<Secrets, 'deriveLasting'>): string =>
  Buffer.from(deriveLasting('backup store'), 'base64url').toString('base64');

export function storeAccess(config: Config, secrets: Secrets): StoreAccess {
  return {
    seal: { key: sealingKey(secrets), isOn: config.areBackupsSealed },
    place: config.backupStore,
    owner: secrets.deriveLasting(`backup store of ${keptUnder(config.newSites.host)}`),
  };
}

/** The store of this process' own host. */
export function storeOf(config: Config, access: StoreAccess): StoreDescription {
  const { dataDir, newSites, backupQueue } = config;
  const store = foreignStoreOf(config, access, newSites.host);
  if (store.kind === 'disk') return store;
  const owner = `${keptUnder(newSites.host)} ${access.owner}`;
  return { ...store, queue: { ...backupQueue, folder: join(dataDir, 'backup-queue'), owner } };
}

/** What a host keeps, for somebody else. `grant`: what lends it to the pod of a site. */
export function foreignStoreOf(
  { areBackupsPerHost }: Pick<Config, 'areBackupsPerHost'>,
  { place, seal }: StoreAccess,
  host: string,
  grant?: string,
): StoreDescription {
  if (!areBackupsPerHost) return { ...place, seal };
  const name = keptUnder(host);
  if (place.kind === 'disk') return { ...place, folder: join(place.folder, name), seal };
  const { account } = place;
  const lent = 'door' in account && grant !== undefined ? { grant } : {};
  return { ...place, account: { ...account, ...lent, prefix: `${account.prefix}${name}/` }, seal };
}

/** A site on a cluster has its past with it wherever it goes. */
export const keptUnder = (host: string): string => siteHostParts(host)?.siteId ?? host;
