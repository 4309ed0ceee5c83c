<?php
/**
 * What the platform shows of this site without asking it, and the site's health. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

function siteyard_next_cron(): ?int {
	$times = array_filter( array_keys( _get_cron_array() ), 'is_int' );
	return $times ? min( $times ) : null;
}

function siteyard_health(): array {
	global $wpdb, $wp_version;
	$problems = array();
	if ( ! is_blog_installed() ) {
		$problems[] = 'The database holds no WordPress.';
	}
	if ( $wpdb->last_error ) {
		$problems[] = 'The database reports: ' . $wpdb->last_error;
	}
	if ( ! wp_get_theme()->exists() ) {
		$problems[] = 'The active theme is missing.';
	}
	if ( ! wp_is_writable( WP_CONTENT_DIR ) ) {
		$problems[] = 'The content folder can not be written.';
	}
	return array(
		'core_version' => $wp_version,
		'php_version'  => PHP_VERSION,
		'problems'     => $problems,
	);
}

// Written when it differs from what stands there, so an unchanged site writes nothing.
add_action(
	'shutdown',
	function () {
		if ( wp_installing() ) {
			return;
		}
		$icon   = get_site_icon_url( 180 );
		$status = wp_json_encode(
			array(
				'favicon_url' => $icon ? $icon : null,
				'title'       => mb_substr( wp_specialchars_decode( get_bloginfo( 'name', 'raw' ), ENT_QUOTES ), 0, 300 ),
				'next_cron'   => SITEYARD_IS_COPY ? null : siteyard_next_cron(),
			)
		);
		$file   = SITEYARD_OUTBOX . '/status.json';
		if ( ! is_file( $file ) || file_get_contents( $file ) !== $status ) {
			siteyard_leave( 'status.json', $status );
		}
	},
	1000
);
