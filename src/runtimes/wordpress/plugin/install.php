<?php
/**
 * Makes the image that every new site is a copy of. Run once for each version of WordPress. License: GPL-2.0-or-later
 */

define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST']   = 'siteyard.invalid';
$_SERVER['REQUEST_URI'] = '/';

function wp_new_blog_notification() {}

require '/site/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

$permalinks = fn() => '/%postname%/';
add_filter( 'pre_option_permalink_structure', $permalinks );
wp_install( 'Siteyard', 'siteyard', 'siteyard@siteyard.invalid', true, '', bin2hex( random_bytes( 24 ) ) );
remove_filter( 'pre_option_permalink_structure', $permalinks );

update_option( 'permalink_structure', '/%postname%/' );
$GLOBALS['wp_rewrite']->init();
$GLOBALS['wp_rewrite']->flush_rules( false );
// Whoever gets the copy gets a password of their own.
$GLOBALS['wpdb']->update( $GLOBALS['wpdb']->users, array( 'user_pass' => '!' ), array( 'ID' => 1 ) );
delete_user_meta( 1, 'default_password_nag' );
echo wp_json_encode( array( 'installed' => is_blog_installed() ) );
