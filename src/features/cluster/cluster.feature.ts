import { siteHostParts } from '#core/cluster.ts';
import type { Services } from '#core/services.ts';
import { succeed } from '#features/hold/hold.ts';
import { feature } from '../feature.ts';
import { keepClusters } from './cluster.upkeep.ts';

/** A cluster starts the pod of a site when the one before is gone: nobody has to wait until that is known by its silence. */
async function succeedPod(services: Services): Promise<undefined> {
  const { name = '' } = services.localHost ?? {};
  if (siteHostParts(name)) await succeed(services, name);
}

/** Sites on Kubernetes clusters (docs/decisions/0068). */
export const clusterFeature = feature({
  name: 'cluster',
  parts: [
    { name: 'the succession of pods', stage: 'fences', roles: ['host'], start: succeedPod },
    { name: 'the upkeep of clusters', stage: 'work', roles: ['worker'], start: keepClusters },
  ],
});
