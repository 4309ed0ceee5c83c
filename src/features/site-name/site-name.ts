/** The names of sites: which ones there can be, who has one, and who may take it from whom. */
export { claimRecord, type NameClaim, readClaim, requireFreeName, takenName, takeProvenName } from './name-claim.ts';
export {
  checkName,
  demoName,
  editorName,
  isOfPlatformDomain,
  isPlatformName,
  isReservedName,
  isUnderSiteDomain,
  SHARED_DOMAIN,
  siteOfEditor,
  templateOfDemo,
} from './site-name.rules.ts';
export { claimName, dropName, insertNamedSite, nameIsClaimed, releaseName } from './site-name.sql.ts';
