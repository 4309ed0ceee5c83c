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
