<?php
/**
 * A copy of a site runs no scheduled work and is not indexed, and what it mails is held back. License: GPL-2.0-or-later
 *
 * Whoever would send it: mail goes to the platform also where a plugin has a mail server or a service of its own.
 */

defined( 'ABSPATH' ) || exit;

function siteyard_hold_mail() {
	remove_all_filters( 'pre_wp_mail' );
	add_filter( 'pre_wp_mail', 'siteyard_hold_mail', PHP_INT_MIN );
	siteyard_use_mailer();
	return SITEYARD_IS_OFFLINE ? false : null;
}

add_filter( 'pre_wp_mail', 'siteyard_hold_mail', PHP_INT_MIN );
add_filter( 'pre_option_blog_public', fn() => '0' );
add_action( 'send_headers', fn() => header( 'X-Robots-Tag: noindex, nofollow' ) );
