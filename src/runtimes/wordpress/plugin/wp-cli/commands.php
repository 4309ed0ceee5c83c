<?php
/**
 * Loaded by wp-cli before its command: gives it what its own commands would need other programs for. License: GPL-2.0-or-later
 */

WP_CLI::add_hook(
	'after_add_command:db',
	function () {
		// Adding ours calls this again.
		if ( class_exists( 'Siteyard_DB_Command', false ) ) {
			return;
		}
		require_once __DIR__ . '/class-siteyard-db-command.php';
		// Those of wp-cli begin before WordPress is there, and so would ours.
		$early  = new ReflectionProperty( 'WP_CLI\\Runner', 'early_invoke' );
		$runner = WP_CLI::get_runner();
		$others = fn( $paths ) => array_filter( $paths, fn( $path ) => 'db' !== $path[0] );
		$early->setValue( $runner, array_map( $others, $early->getValue( $runner ) ) );
		WP_CLI::add_command( 'db', 'Siteyard_DB_Command' );
	}
);

// The platform's own word, which nobody is told of in the list of commands.
require_once __DIR__ . '/class-siteyard-software.php';
WP_CLI::add_command( 'siteyard-software', 'Siteyard_Software' );

// Where packages were left out (run.php). Native PHP has all of them.
if ( class_exists( 'Siteyard_Packages', false ) ) {
	WP_CLI::add_hook( 'before_run_command', array( 'Siteyard_Packages', 'bring_for' ) );
}
