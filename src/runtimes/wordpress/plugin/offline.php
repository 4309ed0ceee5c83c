<?php
/**
 * A preview calls nobody. License: GPL-2.0-or-later
 *
 * The platform keeps its PHP from the network anyway; here WordPress learns so at once instead of trying.
 */

defined( 'ABSPATH' ) || exit;

add_filter(
	'pre_http_request',
	fn() => new WP_Error( 'http_request_failed', 'This is a preview: it reaches nothing outside.' ),
	PHP_INT_MAX
);
