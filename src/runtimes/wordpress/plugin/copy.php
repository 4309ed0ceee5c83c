<?php
/**
 * A copy of a site mails nobody, runs no scheduled work and is not indexed. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

add_filter( 'pre_wp_mail', fn() => false, PHP_INT_MAX );
add_filter( 'pre_option_blog_public', fn() => '0' );
add_action( 'send_headers', fn() => header( 'X-Robots-Tag: noindex, nofollow' ) );
