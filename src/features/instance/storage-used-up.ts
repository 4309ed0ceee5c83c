import { PLANS, type PlanName } from '#features/plan/plan.ts';

/** The same words wherever something is refused for it: here, and by WordPress. */
export function storageUsedUp(plan: PlanName, hasDeletedSites: boolean): string {
  const limit = `${PLANS[plan].storage_bytes / 1_000_000_000} GB`;
  const kept = hasDeletedSites ? ' Deleted sites count for the seven days that they are kept.' : '';
  return `The plan ${plan} has ${limit} of storage, and that is used up; delete something or choose a larger plan.${kept}`;
}
