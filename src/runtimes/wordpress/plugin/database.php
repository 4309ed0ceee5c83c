<?php
/**
 * What the embedded database needs besides WordPress' own SQLite integration. License: GPL-2.0-or-later
 *
 * Other databases have none of this: where WordPress does not run on that integration, nothing here is loaded.
 */

defined( 'ABSPATH' ) || exit;

if ( $GLOBALS['wpdb'] instanceof WP_SQLite_DB && $GLOBALS['wpdb']->ready ) {
	require_once __DIR__ . '/database/class-siteyard-database.php';
	$GLOBALS['wpdb']->dbh = Siteyard_Database::in_place_of( $GLOBALS['wpdb']->get_driver() );
	// WordPress settled the modes with the one before.
	$GLOBALS['wpdb']->set_sql_mode();
}
