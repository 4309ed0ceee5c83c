import type { V1Node, V1PersistentVolume, V1Pod } from '@kubernetes/client-node';
import type { PodTrouble } from '#core/cluster.ts';

/** What a pod waits for without end, as things are. */
const HOPELESS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'CrashLoopBackOff',
]);

/** Why a pod does not run. */
export function troubleOf({ status }: V1Pod): PodTrouble | undefined {
  for (const { state } of status?.containerStatuses ?? []) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (HOPELESS.has(reason)) return { reason: `${reason} ${message}`.trim(), isFinal: true };
  }
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (placed?.status !== 'False') return undefined;
  return { reason: `${placed.reason ?? ''} ${placed.message ?? ''}`.trim(), isFinal: false };
}

/** Whether a machine has said nothing for so long. */
export function isDown({ status }: V1Node, forMs: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return false;
  return ready?.lastTransitionTime === undefined || Date.now() - Number(new Date(ready.lastTransitionTime)) > forMs;
}

/** Since when no machine was found for it; undefined where it has one. */
export function unplacedSince({ status }: Pick<V1Pod, 'status'>): number | undefined {
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return placed?.status === 'False' ? Number(new Date(placed.lastTransitionTime ?? Date.now())) : undefined;
}

/** Whether a volume can be had on a machine. Conditions that only the cluster understands are taken to hold. */
export function canHave({ metadata }: V1Node, { spec }: V1PersistentVolume): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  if (!terms) return true;
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.every(
      ({ key, operator, values = [] }) => operator !== 'In' || values.includes(metadata?.labels?.[key] ?? ''),
    ),
  );
}
