<?php
/**
 * No visitor ever sees WordPress' installer. License: GPL-2.0-or-later
 *
 * A database that is missing or empty looks to WordPress like a site that is yet to be installed, and whoever came first would be
 * its administrator. Here WordPress was installed before anybody could visit it, so such a database is broken, and
 * the site says so. The platform's settings load this file before anything of WordPress, so it uses nothing of it.
 */

// Whoever has a shell, the platform itself included, may install.
if ( 'cli' === PHP_SAPI ) {
	return;
}

function siteyard_database_is_broken(): never {
	http_response_code( 503 );
	header( 'Content-Type: text/html; charset=utf-8' );
	header( 'Cache-Control: no-store' );
	header( 'Retry-After: 60' );
	echo '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
		'<meta name="robots" content="noindex"><title>This site is not available</title>',
		'<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem}</style>',
		'<h1>This site is not available</h1><p>This site’s database is missing or damaged.</p>',
		'<p>If it is your site: bring it back with the time machine, in the dashboard of your hosting.</p></html>';
	exit;
}

/** True while the function of this name is at work. */
function siteyard_is_within( string $name ): bool {
	return in_array( $name, array_column( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ), 'function' ), true );
}

// For every kind of server: this one asks for the script by this name, whatever the address looked like.
if ( preg_match( '!/wp-admin/+(install|setup-config)\.php$!', (string) ( $_SERVER['SCRIPT_FILENAME'] ?? '' ) ) ) {
	http_response_code( 404 );
	header( 'Content-Type: text/plain; charset=utf-8' );
	exit( "WordPress is installed here.\n" );
}

// SQLite would make an empty database of a file that is not there.
if ( defined( 'DB_ENGINE' ) && 'sqlite' === DB_ENGINE ) {
	$siteyard_size = @filesize( DB_DIR . DB_FILE );
	if ( ! $siteyard_size ) {
		siteyard_database_is_broken();
	}
	unset( $siteyard_size );
}

$siteyard_hooks = array(
	// A database that could not be opened is asked for WordPress' options first.
	'pre_wp_load_alloptions' => function ( $options ) {
		if ( empty( $GLOBALS['wpdb']->ready ) ) {
			siteyard_database_is_broken();
		}
		return $options;
	},
	// One without WordPress in it makes WordPress send its visitors to the installer.
	'wp_redirect'            => function ( $location ) {
		if ( siteyard_is_within( 'wp_not_installed' ) ) {
			siteyard_database_is_broken();
		}
		return $location;
	},
);
// One with a part of WordPress in it makes WordPress give up.
foreach ( array( '', '_ajax', '_json', '_jsonp', '_xmlrpc', '_xml' ) as $siteyard_kind ) {
	$siteyard_hooks[ "wp_die{$siteyard_kind}_handler" ] = fn( $handler ) => siteyard_is_within( 'dead_db' ) ? 'siteyard_database_is_broken' : $handler;
}
// WordPress takes hooks that are set before it loads.
foreach ( $siteyard_hooks as $siteyard_name => $siteyard_hook ) {
	$GLOBALS['wp_filter'][ $siteyard_name ][ PHP_INT_MAX ][] = array( 'function' => $siteyard_hook, 'accepted_args' => 1 );
}
unset( $siteyard_hooks, $siteyard_kind, $siteyard_name, $siteyard_hook );
