import { hostForNew } from '#core/cluster.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import type { Place } from '#host/site-host.ts';
import type { Config } from '../../config.ts';
import {
  lastRegion,
  type NewRegion,
  type Region,
  type RegionChange,
  regionExists,
  regionInUse,
  regionNotFound,
} from './region.schema.ts';
import {
  findRegion,
  hostsSites,
  insertRegion,
  listRegions,
  lockRegions,
  nameIsTaken,
  deleteRegion as remove,
  updateRegion as write,
} from './region.sql.ts';

export type { Region } from './region.schema.ts';
export { holdRegion, listRegions } from './region.sql.ts';

/** Where a new site of a region is: on its cluster, in a place of its own, or wherever new sites go. */
export function placeInRegion({ clusters, newSites }: Config, { cluster }: Region, siteId: string): Place {
  return { host: hostForNew(clusters, cluster ?? newSites.host, siteId), driver: newSites.driver };
}

/** A platform starts with one region: the machine it runs on. */
export async function seedRegions(db: Db, config: Config): Promise<void> {
  if ((await listRegions(db)).length > 0) return;
  const here = { name: 'local', city: 'This server', country: 'Here', country_code: 'ZZ' };
  await insertRegion(db, { ...here, cname: config.siteDomain, ip: config.publicIp, name_servers: [] });
}

export async function getRegion(db: Db, id: number): Promise<Region> {
  const region = await findRegion(db, id);
  if (!region) throw regionNotFound();
  return region;
}

export async function createRegion(db: Db, config: Config, input: NewRegion): Promise<Region> {
  requireCluster(config, input);
  const region = await insertRegion(db, input);
  if (!region) throw regionExists();
  return region;
}

/** A cluster that nobody can reach would have no site made. */
function requireCluster({ clusters }: Config, { cluster }: RegionChange): void {
  if (cluster && !clusters.has(cluster))
    throw invalid(bodyFault('cluster', 'Value error, the platform is not configured for a cluster of this name'));
}

export async function updateRegion(db: Db, config: Config, id: number, wish: RegionChange): Promise<Region> {
  const { name, city, country, country_code, cname, ip, name_servers, cluster } = wish;
  requireCluster(config, wish);
  await getRegion(db, id);
  if (name !== undefined && (await nameIsTaken(db, name, id))) throw regionExists();
  const entries = Object.entries({ name, city, country, country_code, cname, ip, name_servers, cluster });
  const change = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RegionChange;
  if (Object.keys(change).length > 0) await write(db, id, change);
  return getRegion(db, id);
}

export async function deleteRegion(db: Db, id: number): Promise<void> {
  await getRegion(db, id);
  if ((await lockRegions(db)) <= 1) throw lastRegion();
  if (await hostsSites(db, id)) throw regionInUse();
  await remove(db, id);
}
