/** Everything that a driver must know of a site. */
export interface SiteSpec {
  id: string;
  /** Whose it is. What one team's sites take of the machine beyond being awake is bounded for all of them together. */
  team: string;
  /** The address that visitors use, port included, without a slash at the end. */
  url: string;
  coreVersion: string;
  phpVersion: string;
  /** The site's own key, which the platform signs its requests to the site with. It changes with the platform's key. */
  accessKey: string;
  /** What WordPress' salts come from. It never changes: plugins seal what they keep with the salts. */
  saltKey: string;
  /** A copy mails nobody and is not indexed. */
  isCopy: boolean;
  /**
   * A preview: it mails nobody, runs nothing by the clock, reaches nothing outside and is not indexed, whatever its PHP
   * tries. It tells the platform nothing of itself either: neither mail nor status nor changed pages.
   */
  isOffline: boolean;
  /** WordPress' debug mode: more ends up in the error log, and nothing of it in a page. */
  isDebugging: boolean;
}
