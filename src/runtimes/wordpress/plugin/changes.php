<?php
/**
 * Tells the platform that pages may look different now, so that it drops the cached ones. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

function siteyard_pages_changed(): void {
	static $told = false;
	if ( ! $told ) {
		$told = false !== file_put_contents( SITEYARD_PURGE_MARK, '1' );
	}
}

foreach ( array(
	'clean_post_cache', 'deleted_post', 'transition_post_status', 'add_attachment', 'edit_attachment',
	'comment_post', 'edit_comment', 'deleted_comment', 'wp_set_comment_status',
	'created_term', 'edited_term', 'delete_term', 'wp_update_nav_menu',
	'switch_theme', 'customize_save_after', 'activated_plugin', 'deactivated_plugin', 'upgrader_process_complete',
	'profile_update', 'deleted_user', 'update_option_sidebars_widgets',
) as $siteyard_hook ) {
	add_action( $siteyard_hook, 'siteyard_pages_changed', 10, 0 );
}
unset( $siteyard_hook );

// Any option may show on a page, except for those that WordPress keeps for itself.
function siteyard_option_changed( $name ): void {
	$is_internal = preg_match( '/^(_transient_|_site_transient_|cron$|auto_updater|auto_core_update|recently_|.*\.lock$|rewrite_rules$|can_compress_scripts$|fresh_site$|https_detection|db_upgraded$|theme_switched$)/', (string) $name );
	if ( ! $is_internal ) {
		siteyard_pages_changed();
	}
}
add_action( 'added_option', 'siteyard_option_changed' );
add_action( 'updated_option', 'siteyard_option_changed' );
add_action( 'deleted_option', 'siteyard_option_changed' );
