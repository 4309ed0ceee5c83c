import { feature } from '../feature.ts';
import { mailLink } from './account.jobs.ts';
import { accountOperations } from './account.routes.ts';

export const accountFeature = feature({ name: 'account', operations: accountOperations, jobs: [mailLink] });
