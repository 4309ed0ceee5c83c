<?php
/**
 * The themes that come with WordPress stand once for all sites. License: GPL-2.0-or-later
 *
 * A theme of the same name in the site's own content folder wins, since WordPress looks there first.
 */

defined( 'ABSPATH' ) || exit;

register_theme_directory( SITEYARD_THEMES );

// WordPress can not tell the address of a folder outside of its own; the edge serves it where themes always are.
add_filter( 'theme_root_uri', fn( $uri ) => SITEYARD_THEMES === $uri ? content_url( 'themes' ) : $uri );

// With more than one folder of themes WordPress looks through all of them for the one that is on, with each page. One look at a folder tells.
foreach ( array( 'template', 'stylesheet' ) as $siteyard_kind ) {
	add_filter(
		"pre_option_{$siteyard_kind}_root",
		function ( $root ) use ( $siteyard_kind ) {
			$theme = '/' . get_option( $siteyard_kind );
			if ( is_dir( WP_CONTENT_DIR . '/themes' . $theme ) ) {
				return '/themes';
			}
			return is_dir( SITEYARD_THEMES . $theme ) ? SITEYARD_THEMES : $root;
		}
	);
}
unset( $siteyard_kind );

/** Those of them that this site has deleted: they stay where they are for all others, and are gone here. */
function siteyard_deleted_themes(): array {
	return array_filter( (array) get_option( 'siteyard_deleted_themes', array() ), 'is_string' );
}

// WordPress goes on to remove the folder of that name among the site's own themes, where there is none, and takes that for success.
add_action(
	'delete_theme',
	function ( $stylesheet ) {
		$deleted = siteyard_deleted_themes();
		if ( is_dir( SITEYARD_THEMES . '/' . $stylesheet ) && ! in_array( $stylesheet, $deleted, true ) ) {
			update_option( 'siteyard_deleted_themes', array_merge( $deleted, array( $stylesheet ) ), true );
		}
	}
);

/** Every theme that there is for this site, and the folder that it is in, as WordPress itself would remember it. */
function siteyard_theme_roots( array $deleted ): array {
	$roots = array();
	foreach ( (array) $GLOBALS['wp_theme_directories'] as $root ) {
		foreach ( (array) glob( $root . '/*', GLOB_ONLYDIR ) as $folder ) {
			// A folder may hold several themes; one without any is a broken theme, and shown as that.
			$styles = is_file( $folder . '/style.css' ) ? array() : glob( $folder . '/*/style.css' );
			foreach ( $styles ? array_map( 'dirname', $styles ) : array( $folder ) as $theme ) {
				$name = substr( $theme, strlen( $root ) + 1 );
				if ( SITEYARD_THEMES !== $root || ! in_array( $name, $deleted, true ) ) {
					$roots[ $name ] ??= str_starts_with( $root, WP_CONTENT_DIR ) ? substr( $root, strlen( WP_CONTENT_DIR ) ) : $root;
				}
			}
		}
	}
	return $roots;
}

// There is no other way to leave a theme out than to tell WordPress that it knows them all already.
add_filter(
	'wp_cache_themes_persistently',
	fn( $is_kept, $context = '' ) => $is_kept || ( 'search_theme_directories' === $context && siteyard_deleted_themes() ),
	10,
	2
);
add_filter(
	'pre_site_transient_theme_roots',
	function ( $roots ) {
		$deleted = siteyard_deleted_themes();
		return $deleted ? siteyard_theme_roots( $deleted ) : $roots;
	}
);
