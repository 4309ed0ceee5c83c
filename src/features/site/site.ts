/** Sites, as every other feature and the platform see them. */
export { claimRecord } from './name-claim.ts';

export { callSite } from './site.call.ts';
export { deleteTeamSites } from './site.delete.ts';
export { announcePurge } from './site.edge.sql.ts';
export { siteReports, siteRoutes, subscribeToPurges } from './site.edge.ts';
export { lockNamedSite, recordSiteEvent } from './site.events.ts';
export { lockWorkingTeam } from './site.limits.ts';
export { onPartOfSite, onSite } from './site.policy.ts';
export { isPlatformName, isUnderSiteDomain, SHARED_DOMAIN, sharesCookies } from './site.rules.ts';
export { stopRetiredSites } from './site.runtime.ts';
export { siteNotFound } from './site.schema.ts';
export { siteUrl, specOf } from './site.spec.ts';
export {
  countSites,
  findSite,
  findSiteById,
  findZonesToLookAt,
  listSiteNames,
  type NamedSite,
  nameIsClaimed,
  noteZone,
  type SiteRow,
  siteIsInTeam,
  updateSite,
} from './site.sql.ts';
export { dkimRecordOf } from './site.view.ts';
export { findOwn, moveDatabase, nothing } from './site.work.ts';
