import type { Team } from '#sdk';
import type { Limits } from '../../api/plans.ts';

export function limitsOf({ plan_type: plan, ...team }: Team): Limits {
  return {
    storage_bytes: { used: team.storage_usage, allowed: plan.storage_bytes },
    visits: { used: team.current_cycle_visits, allowed: plan.visits },
    bandwidth_bytes: { used: team.current_cycle_bandwidth, allowed: plan.bandwidth_bytes },
  };
}
