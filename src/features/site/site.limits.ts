import type { Db } from '#core/db/database.ts';
import { keptStorageBytes, storageLeft, storageUsedUp } from '#features/instance/instance.ts';
import { PLANS } from '#features/plan/plan.ts';
import type { TeamRow } from '#features/team/team.ts';
import { findUser } from '#features/user/user.ts';
import { planSites, planStorage } from './site.schema.ts';
import { countSites } from './site.sql.ts';

const HAS_FREE_SITE = 'The team has its one free site already. Create this one without is_free.';
const OTHER_HAS_FREE_SLOT = 'Another site of the team has its one free slot. Set is_free of that site to false first.';

/**
 * Each team may have one free site, which takes no paid slot; on the plan free there is one slot in all, whatever the
 * flag says. `without` leaves out a site of the team that only changes its flag.
 */
export async function requireSlot(
  db: Db,
  team: TeamRow,
  isFree: boolean,
  without?: { is_free: boolean },
): Promise<void> {
  // Operators are not customers: only the capacity of the machine limits their teams.
  if ((await findUser(db, team.user_id)).is_superuser) return;
  const counted = await countSites(db, team.id);
  const free = counted.free_sites - (without?.is_free ? 1 : 0);
  const all = counted.sites - (without ? 1 : 0);
  const { sites } = PLANS[team.plan_type_name];
  const slots = sites + (team.additional_sites ?? 0);
  if (team.plan_type_name === 'free') {
    if (all >= slots)
      throw planSites({ message: `The plan free has room for ${count(slots)}; choose a larger plan to add another.` });
  } else if (isFree) {
    if (free >= 1) throw planSites({ message: without ? OTHER_HAS_FREE_SLOT : HAS_FREE_SITE });
  } else if (all - free >= slots) {
    const message = `The plan ${team.plan_type_name} has room for ${count(slots)}; choose a larger plan or buy another slot.`;
    throw planSites({ message });
  }
}

/**
 * `addedBytes` is what the team gets with it: nothing yet of a new site, everything of one that moves in. Deleted sites
 * count while they are kept, since filling and deleting one after another would get round the plan.
 */
export async function requireStorage(db: Db, team: TeamRow, addedBytes = 0): Promise<void> {
  if (addedBytes < (await storageLeft(db, team))) return;
  const hasDeletedSites = (await keptStorageBytes(db, team.id)) > 0;
  throw planStorage({ message: storageUsedUp(team.plan_type_name, hasDeletedSites) });
}

const count = (sites: number) => `${sites} ${sites === 1 ? 'site' : 'sites'}`;
