import type { Db } from '#core/db/database.ts';
import { PLANS, type PlanName } from '#features/plan/plan.ts';
import { keptStorageBytes, type SiteRow } from './instance.sql.ts';

interface Storing {
  id: string;
  plan_type_name: PlanName;
  storage_usage: number;
}

/** What a team may still store; less than nothing where it has more than its plan. Deleted sites count while they are kept. */
export async function storageLeft(db: Db, team: Storing): Promise<number> {
  return PLANS[team.plan_type_name].storage_bytes - team.storage_usage - (await keptStorageBytes(db, team.id));
}

/** What a site may grow to while somebody works in it: what it has, and what the plan has left. */
export async function roomFor(db: Db, site: Pick<SiteRow, 'storage_bytes'>, team: Storing): Promise<number> {
  return (site.storage_bytes ?? 0) + (await storageLeft(db, team));
}
