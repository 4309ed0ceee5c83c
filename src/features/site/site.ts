/** Sites, as every other feature and the platform see them. */
export { siteReports, siteRoutes, subscribeToPurges } from './site.edge.ts';
export { lockNamedSite } from './site.events.ts';
export { onSite } from './site.policy.ts';
export { listenToRuntime, stopRetiredSites } from './site.runtime.ts';
export { type SiteRow, siteIsInTeam } from './site.sql.ts';
export { startDueCycles } from './site-upkeep.sql.ts';
