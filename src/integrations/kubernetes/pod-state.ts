import type { V1Node, V1Pod } from '@kubernetes/client-node';
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

/** Whether it waits for a volume that nobody asked the cluster for. */
export function lacksVolume({ status }: V1Pod): boolean {
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return (
    placed?.status === 'False' && /persistentvolumeclaim "\S+" (not found|is being deleted)/.test(placed.message ?? '')
  );
}

/** Whether it waits for a volume that is on a machine that is gone, which is never told in other words. */
export function hasLostVolume({ status }: V1Pod, forMs: number): boolean {
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (placed?.status !== 'False' || !placed.message?.includes('volume node affinity conflict')) return false;
  return Date.now() - Number(new Date(placed.lastTransitionTime ?? Date.now())) > forMs;
}
