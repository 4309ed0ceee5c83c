/** The names of sites: which ones there can be, who has one, and who may take it from whom. */
export {
  claimFurtherName,
  claimRecord,
  type NameClaim,
  readClaim,
  requireFreeName,
  takenName,
  takeProvenName,
} from './name-claim.ts';
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
export {
  claimName,
  dropName,
  insertNamedSite,
  keepAsRedirect,
  nameIsClaimed,
  releaseName,
  releaseNames,
  siteHasName,
  verifiedNames,
} from './site-name.sql.ts';
