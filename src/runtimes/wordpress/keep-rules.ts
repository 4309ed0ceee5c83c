/** What the time machine is to keep of a site of WordPress, below its wp-content and in its database. */
export function keepRules(tablePrefix: string) {
  return {
    publicFolders: ['plugins', 'themes'],
    tablePrefix,
    // Without it WordPress takes itself for not installed, and begins anew.
    neededTables: [`${tablePrefix}options`],
    fleetingTables: ['(?:^|_)(?:sessions?|caches?|object_cache|transients?)$'],
    // What the SQLite driver of WordPress keeps to itself: the schema as MySQL would tell it.
    hiddenTables: ['^_(?:wp|mysql)_'],
  };
}
