<?php
/**
 * A commit is on disk when it returns. License: GPL-2.0-or-later
 *
 * SQLite ends a transaction by deleting its journal, and waits for the disk to know of that only when it is told to. Without
 * it, what a plugin did next (charge a card, say) could survive a power cut that undid the order.
 */

defined( 'ABSPATH' ) || exit;

// Where the SQLite integration leaves its connection; other databases have none.
if ( ( $GLOBALS['@pdo'] ?? null ) instanceof PDO ) {
	$GLOBALS['@pdo']->exec( 'PRAGMA synchronous = EXTRA' );
}
