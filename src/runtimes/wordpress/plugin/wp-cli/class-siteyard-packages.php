<?php
/**
 * Which of wp-cli's own packages a command needs. License: GPL-2.0-or-later
 */

/**
 * wp-cli reads the descriptions of all its commands before it runs one, and that is more than half of what a command costs. So only the packages
 * are loaded that the command's first word is in, and the others once anything asks for another word. Whatever looks at commands as such
 * (`help`, `cli`), may do anything (`eval`, `shell`) or is not known here has all of them from the start.
 */
final class Siteyard_Packages {
	/** A package that is not here is always loaded. */
	const WORDS = array(
		'cache-command'            => array( 'cache', 'transient' ),
		'checksum-command'         => array( 'core', 'plugin' ),
		'config-command'           => array( 'config' ),
		'core-command'             => array( 'core' ),
		'cron-command'             => array( 'cron' ),
		'db-command'               => array( 'db' ),
		'embed-command'            => array( 'embed' ),
		'entity-command'           => array( 'comment', 'menu', 'network', 'option', 'post', 'post-type', 'site', 'taxonomy', 'term', 'user' ),
		'eval-command'             => array( 'eval', 'eval-file' ),
		'export-command'           => array( 'export' ),
		'extension-command'        => array( 'plugin', 'theme' ),
		'i18n-command'             => array( 'i18n' ),
		'import-command'           => array( 'import' ),
		'language-command'         => array( 'language', 'site' ),
		'maintenance-mode-command' => array( 'maintenance-mode' ),
		'media-command'            => array( 'media' ),
		'package-command'          => array( 'package' ),
		'rewrite-command'          => array( 'rewrite' ),
		'role-command'             => array( 'cap', 'role' ),
		'scaffold-command'         => array( 'scaffold' ),
		'search-replace-command'   => array( 'search-replace' ),
		'server-command'           => array( 'server' ),
		// No package: the platform's own word needs none of them.
		'siteyard'                 => array( 'siteyard-software' ),
		'shell-command'            => array( 'shell' ),
		'super-admin-command'      => array( 'super-admin' ),
		'widget-command'           => array( 'sidebar', 'widget' ),
	);
	/** They run what somebody wrote, which may ask wp-cli for anything. */
	const NEED_ALL = array( 'eval', 'eval-file', 'shell' );

	private static $word = null;
	/** Files by the name that Composer knows them by. */
	private static $left_out = array();

	/** Tells Composer that whatever this command does not need is there already. */
	public static function leave_out( array $args, string $archive ): void {
		$words      = array_filter( $args, fn( $arg ) => ! str_starts_with( $arg, '-' ) );
		self::$word = reset( $words );
		$known      = array_diff( array_merge( ...array_values( self::WORDS ) ), self::NEED_ALL );
		if ( ! in_array( self::$word, $known, true ) ) {
			return;
		}
		foreach ( include "$archive/vendor/composer/autoload_files.php" as $id => $file ) {
			$words = self::WORDS[ basename( $file, '.php' ) ] ?? array( self::$word );
			if ( ! in_array( self::$word, $words, true ) ) {
				self::$left_out[ $id ] = $file;
			}
		}
		$GLOBALS['__composer_autoload_files'] = array_fill_keys( array_keys( self::$left_out ), true );
	}

	/** Before a command runs: one that another one asked for may be in a package that was left out. */
	public static function bring_for( array $args ): void {
		$word = $args[0] ?? null;
		if ( $word === self::$word && isset( WP_CLI::get_root_command()->get_subcommands()[ $word ] ) ) {
			return;
		}
		$files          = self::$left_out;
		self::$left_out = array();
		foreach ( $files as $file ) {
			require_once $file;
		}
	}
}
