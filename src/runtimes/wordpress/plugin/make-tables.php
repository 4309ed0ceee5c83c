<?php
/**
 * Makes the tables that a site brings along, in a copy of the image that has nothing of that site yet. The statements are the platform's
 * own. License: GPL-2.0-or-later
 */

define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST']   = 'siteyard.invalid';
$_SERVER['REQUEST_URI'] = '/';

require '/site/wordpress/wp-load.php';

$GLOBALS['wpdb']->suppress_errors();
foreach ( json_decode( file_get_contents( '/site/outbox/tables.json' ) ) as $statement ) {
	if ( false === $GLOBALS['wpdb']->query( $statement ) ) {
		echo wp_json_encode( array( 'failed' => $GLOBALS['wpdb']->last_error, 'statement' => substr( $statement, 0, 200 ) ) );
		exit( 1 );
	}
}
echo wp_json_encode( array( 'made' => true ) );
