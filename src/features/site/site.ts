/** Sites as the API shows them. What runs behind one is an instance. */
export { requireStorage } from './site.limits.ts';
export { changesOf, checkFirewall, didTo, readAddresses, SETTINGS } from './site.rules.ts';
export { countSites, countSitesByState, listSiteNames } from './site.sql.ts';
export { startWork } from './site.update.ts';
export { completeSite, rereadSite, viewStage } from './site.view.ts';
