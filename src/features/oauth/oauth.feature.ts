import { feature } from '../feature.ts';
import { oauthOperations } from './oauth.routes.ts';
import { deleteUnusedClients } from './oauth.sql.ts';

export const oauthFeature = feature({
  name: 'oauth',
  operations: oauthOperations,
  housekeeping: deleteUnusedClients,
});
