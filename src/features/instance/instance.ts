/**
 * An instance is WordPress that runs here: a live site, or a copy of one (a stage, a preview). Here is what all kinds have in common:
 * the row, what a driver is told, the way of visitors and of our own requests to it, what it tells by itself, and its end. What
 * people can do with sites through the API is elsewhere.
 */
export { callSite, visitSite } from './call-site.ts';
export { removeFilesSoon } from './clean-up.sql.ts';
export { announcePurge, FAILED_IN_A_ROW, markAwake } from './edge.sql.ts';
export { siteReports, subscribeToPurges } from './edge-reports.ts';
export { routesOf, siteRoutes } from './edge-routes.ts';
export { findOwn, moveDatabase, nothing } from './held-work.ts';
export { mayRename, onOwnSite, onPartOfOwnSite, onPartOfSite, onSite } from './instance.policy.ts';
export { siteNotFound, stageMissing } from './instance.schema.ts';
export {
  deleteSite,
  deleteUsage,
  findSite,
  findSiteById,
  isKeptDeleted,
  keptStorageBytes,
  listSitesOn,
  lockSite,
  markStorageStale,
  type NewSiteRow,
  type SiteRow,
  siteIsInTeam,
  updateSite,
} from './instance.sql.ts';
export { withKeptVersion } from './kept-version.ts';
export { newPasswords } from './new-passwords.ts';
export { keepNumbersApart } from './numbers-apart.ts';
export { lockNamedSite, recordSiteEvent } from './site-events.ts';
export { previewKey, siteUrl, specOf } from './spec-of.ts';
export { findStage, forgetCommitsAfter, type StageRow, siteOrStage, stagesOfSites } from './stage.sql.ts';
export { stopRetiredSites } from './stop-retired.ts';
export { stopSite } from './stop-site.jobs.ts';
export { roomFor, storageLeft } from './storage-room.ts';
export { storageUsedUp } from './storage-used-up.ts';
export { writeStatuses } from './told-by-sites.sql.ts';
