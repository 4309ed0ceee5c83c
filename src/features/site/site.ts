/** Sites, as every other feature and the platform see them. */
export { removeFilesSoon } from './clean-up.sql.ts';
export { claimRecord } from './name-claim.ts';
export { newPasswords } from './new-passwords.ts';

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
export {
  countSites,
  deleteSite,
  findSite,
  findSiteById,
  findZonesToLookAt,
  insertSite,
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
export { previewKey, siteUrl, specOf } from './spec-of.ts';
