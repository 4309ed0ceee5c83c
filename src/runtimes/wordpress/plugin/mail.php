<?php
/**
 * WordPress' mail goes out through the platform, which signs it for this site. License: GPL-2.0-or-later
 *
 * A plugin that sets up its own mail server keeps it: only what would go to PHP's mail() is taken.
 */

defined( 'ABSPATH' ) || exit;

add_action(
	'phpmailer_init',
	function ( $mailer ) {
		if ( 'mail' === $mailer->Mailer ) {
			$mailer->Mailer = 'siteyard';
		}
	},
	PHP_INT_MAX
);

add_filter(
	'pre_wp_mail',
	function ( $answer ) {
		siteyard_use_mailer();
		return $answer;
	},
	0
);

function siteyard_use_mailer(): void {
	global $phpmailer;
	if ( $phpmailer instanceof Siteyard_Mailer ) {
		return;
	}
	require_once ABSPATH . WPINC . '/PHPMailer/PHPMailer.php';
	require_once ABSPATH . WPINC . '/PHPMailer/SMTP.php';
	require_once ABSPATH . WPINC . '/PHPMailer/Exception.php';
	require_once ABSPATH . WPINC . '/class-wp-phpmailer.php';
	require_once __DIR__ . '/class-siteyard-mailer.php';
	$phpmailer             = new Siteyard_Mailer( true );
	$phpmailer::$validator = static fn( $email ) => (bool) is_email( $email );
}
