import { feature } from '../feature.ts';
import { regionOperations } from './region.routes.ts';
import { seedRegions } from './region.ts';

export const regionFeature = feature({
  name: 'region',
  operations: regionOperations,
  prepare: (tx, { config }) => seedRegions(tx, config),
});
