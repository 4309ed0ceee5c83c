import { feature } from '../feature.ts';
import { oauthOperations } from './oauth.routes.ts';
import { deleteUnused } from './oauth.sql.ts';

export const oauthFeature = feature({
  name: 'oauth',
  operations: oauthOperations,
  housekeeping: deleteUnused,
});
