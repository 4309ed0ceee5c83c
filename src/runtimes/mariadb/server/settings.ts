export type Settings = Record<string, string | number>;

/** Sized for one small machine with many small sites. An operator who needs more runs a server of their own. */
export const SETTINGS: Settings = {
  'skip-networking': 1,
  'skip-name-resolve': 1,
  // Each site has few of them, so many sites have to mean harm together before the time machine finds none.
  'max-connections': 1000,
  'thread-cache-size': 16,
  'performance-schema': 0,
  'innodb-buffer-pool-size': '96M',
  'innodb-log-file-size': '48M',
  'innodb-flush-log-at-trx-commit': 1,
  // What sites sort and join goes there; one of them must not fill the disk.
  'innodb-temp-data-file-path': 'ibtmp1:12M:autoextend:max:2G',
  // Sites may change these for their own connections, but not beyond what all of them together can have.
  'maximum-sort-buffer-size': '8M',
  'maximum-join-buffer-size': '8M',
  'maximum-read-rnd-buffer-size': '8M',
  'maximum-tmp-memory-table-size': '32M',
  'maximum-max-heap-table-size': '32M',
  // The same on disk, for each table that a statement makes on its way.
  'tmp-disk-table-size': '512M',
  'maximum-tmp-disk-table-size': '512M',
  'max-session-mem-used': '256M',
  'maximum-max-session-mem-used': '256M',
  // All files that a connection, or all of them, have on their way, those of large sorts included. (Known to 11.5 and later.)
  'loose-max-tmp-session-space-usage': '1G',
  'loose-max-tmp-total-space-usage': '4G',
  'key-buffer-size': '1M',
  'aria-pagecache-buffer-size': '8M',
  'query-cache-type': 0,
  'table-open-cache': 1000,
  'max-allowed-packet': '64M',
  'wait-timeout': 600,
  'lock-wait-timeout': 60,
  'character-set-server': 'utf8mb4',
  'collation-server': 'utf8mb4_unicode_520_ci',
  // Only these tables can be read as of one instant. Who asks for others gets these, so the mode must not refuse that.
  'enforce-storage-engine': 'InnoDB',
  'sql-mode': 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER',
  // The log of changed rows is how the time machine finds them: with their keys, and with what the key is.
  'server-id': 1,
  'log-bin': 'changes',
  'binlog-format': 'ROW',
  'binlog-row-image': 'MINIMAL',
  'binlog-row-metadata': 'FULL',
  'max-binlog-size': '64M',
  'binlog-expire-logs-seconds': 6 * 3600,
  // A transaction is in a file of its own until it is over.
  'max-binlog-cache-size': '2G',
  'sync-binlog': 1,
  'local-infile': 0,
  'symbolic-links': 0,
  'event-scheduler': 'DISABLED',
  'default-time-zone': '+00:00',
};

/** However much one site writes within those hours: of what is older the log is rid. Who asks for that looks at all rows. */
export const MOST_LOG_BYTES = 2 * 1024 ** 3;
