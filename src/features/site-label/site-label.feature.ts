import { feature } from '../feature.ts';
import { siteLabelOperations } from './site-label.routes.ts';
import { sumLabels } from './site-label.sql.ts';

export const siteLabelFeature = feature({
  name: 'site-label',
  operations: siteLabelOperations,
  housekeeping: sumLabels,
});
