<?php
/**
 * How long the platform may keep a page. License: GPL-2.0-or-later
 *
 * The header is between WordPress and the platform's own cache, which drops a site's pages as soon as WordPress says that they changed.
 * Browsers and other caches see what WordPress says to everybody.
 */

defined( 'ABSPATH' ) || exit;

const SITEYARD_KEEP_404_SECONDS = 30;

function siteyard_keep_at_most( int $seconds ): void {
	if ( ! headers_sent() ) {
		header( 'X-Siteyard-Keep: ' . $seconds );
	}
}

// WordPress takes a nonce for at least half of its life. A page goes sooner, so that whoever gets it last has time to send its form.
add_action(
	'send_headers',
	function () {
		$life = (int) apply_filters( 'nonce_life', DAY_IN_SECONDS, -1 );
		if ( $life < DAY_IN_SECONDS ) {
			siteyard_keep_at_most( max( 0, intdiv( $life, 3 ) ) );
		}
	}
);

// WordPress lets nobody keep its 404 pages, and makes one anew for each request of a flood.
add_action(
	'wp',
	function () {
		if ( is_404() ) {
			siteyard_keep_at_most( SITEYARD_KEEP_404_SECONDS );
		}
	}
);
