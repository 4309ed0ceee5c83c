<?php
/**
 * Runs wp-cli as `wp` would in a shell, in a PHP that answers requests otherwise. License: GPL-2.0-or-later
 */

( function () {
	$wish = json_decode( $_SERVER['SITEYARD_WISH'], true );
	// PHP takes them back when the command has ended.
	foreach ( $wish['env'] as $name => $value ) {
		putenv( "$name=$value" );
	}
	// What a request would have is not there in a shell.
	$now     = array_intersect_key( $_SERVER, array( 'REQUEST_TIME' => 1, 'REQUEST_TIME_FLOAT' => 1 ) );
	$program = array( 'PHP_SELF' => $wish['args'][0], 'SCRIPT_NAME' => $wish['args'][0], 'SCRIPT_FILENAME' => $wish['args'][0] );
	$_SERVER = $wish['env'] + $now + $program + array( 'argv' => $wish['args'], 'argc' => count( $wish['args'] ) );

	$GLOBALS['argv'] = $wish['args'];
	$GLOBALS['argc'] = count( $wish['args'] );
	define( 'STDIN', fopen( 'php://stdin', 'r' ) );
	define( 'STDOUT', fopen( 'php://stdout', 'w' ) );
	define( 'STDERR', fopen( 'php://stderr', 'w' ) );
	chdir( is_dir( $wish['cwd'] ) ? $wish['cwd'] : '/site/wordpress' );
	Phar::loadPhar( '/site/wp-cli/wp-cli.phar', 'wp-cli.phar' );
	require __DIR__ . '/class-siteyard-packages.php';
	Siteyard_Packages::leave_out( array_slice( $wish['args'], 1 ), 'phar://wp-cli.phar' );
} )();

include 'phar://wp-cli.phar/php/boot-phar.php';
