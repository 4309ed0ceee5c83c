<?php
/**
 * WordPress itself is the platform's: it is shared, read-only, and moved to a new version from the dashboard.
 * License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

add_filter(
	'map_meta_cap',
	fn( $caps, $cap ) => 'update_core' === $cap ? array( 'do_not_allow' ) : $caps,
	10,
	2
);
remove_action( 'admin_init', '_maybe_update_core' );
remove_action( 'wp_version_check', 'wp_version_check' );

// Here the platform calls the scheduled work, and knows of new versions. WordPress does not look for them, and would complain that it can not.
add_filter(
	'site_status_tests',
	function ( $tests ) {
		unset( $tests['async']['background_updates'], $tests['direct']['scheduled_events'], $tests['direct']['wordpress_version'] );
		return $tests;
	}
);
