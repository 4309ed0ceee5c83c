<?php
/**
 * Takes no uploads while the storage is used up; everything else goes on. License: GPL-2.0-or-later
 *
 * The platform says so with each request, and gives the sentence for whoever uploads. Updates are no uploads: one may
 * mend a hole. What a plugin writes to disk by itself passes here unseen.
 */

defined( 'ABSPATH' ) || exit;

define( 'SITEYARD_UPLOADS_REFUSED', (string) $_SERVER['HTTP_X_SITEYARD_UPLOADS_REFUSED'] );

/** True for the archive of a plugin or theme that is there already. */
function siteyard_is_update( array $file ): bool {
	foreach ( array( 'pluginzip' => WP_PLUGIN_DIR, 'themezip' => get_theme_root() ) as $field => $folder ) {
		if ( ( $_FILES[ $field ]['tmp_name'] ?? null ) !== $file['tmp_name'] || ! class_exists( 'ZipArchive' ) ) {
			continue;
		}
		$archive = new ZipArchive();
		$entry   = true === $archive->open( $file['tmp_name'] ) ? (string) $archive->getNameIndex( 0 ) : '';
		return str_contains( $entry, '/' ) && is_dir( $folder . '/' . strtok( $entry, '/' ) );
	}
	return false;
}

function siteyard_refuse_upload( array $file ): array {
	return siteyard_is_update( $file ) ? $file : array_merge( $file, array( 'error' => SITEYARD_UPLOADS_REFUSED ) );
}
add_filter( 'wp_handle_upload_prefilter', 'siteyard_refuse_upload', PHP_INT_MAX );
add_filter( 'wp_handle_sideload_prefilter', 'siteyard_refuse_upload', PHP_INT_MAX );

// XML-RPC, and plugins that have the file in memory.
add_filter( 'pre_upload_error', fn() => SITEYARD_UPLOADS_REFUSED, PHP_INT_MAX );
add_filter( 'wp_upload_bits', fn() => SITEYARD_UPLOADS_REFUSED, PHP_INT_MAX );

// A plugin or theme from the directory. One that was uploaded has passed above.
add_filter(
	'upgrader_pre_download',
	function ( $reply, $package, $upgrader, $extra ) {
		$is_new = 'install' === ( $extra['action'] ?? '' ) && preg_match( '!^(http|https|ftp)://!i', (string) $package );
		return $is_new ? new WP_Error( 'siteyard_storage', SITEYARD_UPLOADS_REFUSED ) : $reply;
	},
	PHP_INT_MAX,
	4
);

// The REST interface would call it a failure of the server. The sentence is all that WordPress hands on of an upload.
add_filter(
	'rest_request_after_callbacks',
	function ( $response ) {
		$is_refused = is_wp_error( $response ) && in_array( SITEYARD_UPLOADS_REFUSED, $response->get_error_messages(), true );
		return $is_refused ? new WP_Error( 'siteyard_storage', SITEYARD_UPLOADS_REFUSED, array( 'status' => 402 ) ) : $response;
	}
);
