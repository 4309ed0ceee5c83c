import { feature } from '../feature.ts';
import { accountViewOperations } from './account-view.routes.ts';
import { forgetOldAccountViews } from './account-view.sql.ts';

export const accountViewFeature = feature({
  name: 'account-view',
  operations: accountViewOperations,
  housekeeping: forgetOldAccountViews,
});
