import { feature } from '../feature.ts';
import { keepClusters } from './cluster.upkeep.ts';

/** Sites on Kubernetes clusters (docs/decisions/0068). */
export const clusterFeature = feature({
  name: 'cluster',
  parts: [{ name: 'the upkeep of clusters', stage: 'work', roles: ['worker'], start: keepClusters }],
});
