import { feature } from '../feature.ts';
import { changeSoftware } from './site-software.jobs.ts';
import { mailTakenBack } from './site-software.mail.ts';
import { lookAtSoftware, planSoftware } from './site-software.policy.ts';
import { siteSoftwareOperations } from './site-software.routes.ts';
import { deleteOrphanedSoftware } from './site-software.sql.ts';

/** What sites run: WordPress, PHP, plugins and themes; how that is changed, checked and taken back, and updated by itself. */
export const siteSoftwareFeature = feature({
  name: 'site-software',
  operations: siteSoftwareOperations,
  jobs: [changeSoftware, planSoftware, lookAtSoftware, mailTakenBack],
  housekeeping: deleteOrphanedSoftware,
  dueTimes: ['site_software.planned_at'],
});
