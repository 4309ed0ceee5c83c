import { feature } from '../feature.ts';
import { applicationPasswordOperations } from './application-password.routes.ts';

export const applicationPasswordFeature = feature({
  name: 'application-password',
  operations: applicationPasswordOperations,
});
