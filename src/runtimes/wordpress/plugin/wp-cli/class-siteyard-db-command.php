<?php
/**
 * License: GPL-2.0-or-later
 */

require_once __DIR__ . '/class-siteyard-statements.php';

/**
 * Works with the site's database, through WordPress' own connection to it: there is no `mysql` here.
 *
 * ## EXAMPLES
 *
 *     $ wp db query "SELECT option_value FROM wp_options WHERE option_name = 'home'"
 *     $ wp db tables
 *     $ wp db export - | gzip > backup.sql.gz
 */
class Siteyard_DB_Command extends DB_Command {

	const ROWS_AT_ONCE = 200;

	/**
	 * Runs SQL, from its argument or from standard input, and prints rows as `mysql --batch` does.
	 *
	 * ## OPTIONS
	 *
	 * [<sql>]
	 * : One statement or several, each ended by a semicolon.
	 *
	 * [--skip-column-names]
	 * : Rows alone.
	 *
	 * [--<field>=<value>]
	 * : Options of `mysql`, which change nothing here.
	 */
	public function query( $args, $assoc_args ) {
		$has_names = ! \WP_CLI\Utils\get_flag_value( $assoc_args, 'skip-column-names', false );
		foreach ( Siteyard_Statements::in( $args[0] ?? stream_get_contents( STDIN ) ) as $statement ) {
			$this->print_rows( $this->ask( $statement ), $has_names );
		}
	}

	/**
	 * Writes the database as SQL.
	 *
	 * ## OPTIONS
	 *
	 * [<file>]
	 * : Where to; `-` is standard output.
	 *
	 * [--tables=<tables>]
	 * : These alone, separated by commas.
	 *
	 * [--exclude_tables=<tables>]
	 * : All but these.
	 *
	 * [--porcelain]
	 * : Prints the name of the file alone.
	 *
	 * [--<field>=<value>]
	 * : Options of `mysqldump`, which change nothing here.
	 */
	public function export( $args, $assoc_args ) {
		global $wpdb;
		$file = $args[0] ?? sprintf( '%s-%s-%s.sql', DB_NAME, gmdate( 'Y-m-d' ), substr( md5( (string) wp_rand() ), 0, 7 ) );
		$out  = '-' === $file ? STDOUT : @fopen( $file, 'w' );
		if ( ! $out ) {
			WP_CLI::error( "'$file' can not be written." );
		}
		fwrite( $out, "-- The database of a site.\n\nSET NAMES utf8mb4;\nSET foreign_key_checks = 0;\n" );
		foreach ( $this->wanted_tables( $assoc_args ) as $table ) {
			$this->export_table( $out, $table );
		}
		if ( '-' !== $file && \WP_CLI\Utils\get_flag_value( $assoc_args, 'porcelain', false ) ) {
			WP_CLI::line( $file );
		} elseif ( '-' !== $file ) {
			WP_CLI::success( "Exported to '$file'." );
		}
	}

	/**
	 * Runs the SQL of a file.
	 *
	 * ## OPTIONS
	 *
	 * [<file>]
	 * : Where from; `-` is standard input.
	 *
	 * [--<field>=<value>]
	 * : Options of `mysql`, which change nothing here.
	 */
	public function import( $args, $assoc_args ) {
		$file = $args[0] ?? DB_NAME . '.sql';
		$text = '-' === $file ? stream_get_contents( STDIN ) : @file_get_contents( $file );
		if ( false === $text ) {
			WP_CLI::error( "Import file missing or not readable: $file" );
		}
		foreach ( Siteyard_Statements::in( $text ) as $statement ) {
			if ( ! preg_match( '/^(LOCK|UNLOCK)\s+TABLES/i', $statement ) ) {
				$this->ask( $statement );
			}
		}
		WP_CLI::success( "Imported from '$file'." );
	}

	/**
	 * Prints how large the database is.
	 *
	 * ## OPTIONS
	 *
	 * [--size_format=<format>]
	 * : `b`, `kb`, `mb` or `gb`.
	 *
	 * [--human-readable]
	 * : In whatever is easiest to read.
	 *
	 * [--<field>=<value>]
	 * : Sizes of single tables are not known here.
	 */
	public function size( $args, $assoc_args ) {
		if ( isset( $assoc_args['tables'] ) || isset( $assoc_args['all-tables'] ) ) {
			WP_CLI::error( 'Only the size of the whole database is known here.' );
		}
		global $wpdb;
		clearstatcache();
		$bytes  = 'sqlite' === DB_ENGINE ? filesize( DB_DIR . DB_FILE ) : (int) $wpdb->get_var( 'SELECT SUM(DATA_LENGTH + INDEX_LENGTH) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()' );
		$format = $assoc_args['size_format'] ?? 'b';
		$units  = array( 'b' => 1, 'kb' => 1000, 'mb' => 1000 ** 2, 'gb' => 1000 ** 3 );
		if ( ! isset( $units[ $format ] ) ) {
			WP_CLI::error( "The size can not be said in '$format'." );
		}
		if ( isset( $assoc_args['human-readable'] ) ) {
			WP_CLI::line( size_format( $bytes, 1 ) );
		} else {
			WP_CLI::line( (string) ceil( $bytes / $units[ $format ] ) );
		}
	}

	/** Checks that every table can be read. */
	public function check( $_, $assoc_args ) {
		$this->for_each_table( 'CHECK', 'Database checked.' );
	}

	/** Gives room back that deleted rows had. */
	public function optimize( $_, $assoc_args ) {
		$this->for_each_table( 'OPTIMIZE', 'Database optimized.' );
	}

	/** There is nothing to repair: restore the site to an earlier point instead. */
	public function repair( $_, $assoc_args ) {
		$this->refuse( 'Nothing can be repaired here. A site can be restored to any minute of its past instead.' );
	}

	/** There is no client here. */
	public function cli( $_, $assoc_args ) {
		$this->refuse( 'There is no `mysql` client here. Use `wp db query`.' );
	}

	/** The database is there as long as the site is. */
	public function create( $_, $assoc_args ) {
		$this->refuse( 'The database of the site is there already.' );
	}

	/** The database is there as long as the site is. */
	public function drop( $_, $assoc_args ) {
		$this->refuse( 'The database can not be dropped: it goes with the site. `wp db clean --yes` drops its tables.' );
	}

	/** The database is there as long as the site is. */
	public function reset( $_, $assoc_args ) {
		$this->refuse( 'The database can not be reset: it goes with the site. `wp db clean --yes` drops its tables.' );
	}

	/**
	 * Drops all tables with the site's prefix.
	 *
	 * ## OPTIONS
	 *
	 * [--yes]
	 * : Answers the question.
	 */
	public function clean( $_, $assoc_args ) {
		global $wpdb;
		WP_CLI::confirm( 'Are you sure you want to drop all the tables of the site?', $assoc_args );
		foreach ( $wpdb->get_col( "SHOW TABLES LIKE '" . $wpdb->esc_like( $wpdb->prefix ) . "%'" ) as $table ) {
			$this->ask( "DROP TABLE `$table`" );
		}
		WP_CLI::success( 'Tables dropped.' );
	}

	private function refuse( string $sentence ) {
		WP_CLI::error( $sentence );
	}

	/** Rows, or none where the statement has none. */
	private function ask( string $statement ): array {
		global $wpdb;
		$wpdb->suppress_errors();
		$wpdb->last_error = '';
		$has_rows         = preg_match( '/^(?:--[^\n]*\n|#[^\n]*\n|\/\*.*?\*\/|[\s(])*(SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|WITH|CHECK|OPTIMIZE|ANALYZE)\b/is', $statement );
		$rows             = $has_rows ? $wpdb->get_results( $statement, ARRAY_A ) : array();
		if ( ! $has_rows ) {
			$wpdb->query( $statement );
		}
		if ( '' !== $wpdb->last_error ) {
			// It comes as a page, with every query that was tried.
			$is_page = preg_match( '/SQLSTATE\[[^<\n]*/', $wpdb->last_error, $found );
			WP_CLI::error( html_entity_decode( $is_page ? $found[0] : wp_strip_all_tags( $wpdb->last_error ), ENT_QUOTES ) );
		}
		return $rows ?? array();
	}

	private function print_rows( array $rows, bool $has_names ) {
		$write = function ( $value ) {
			if ( null === $value ) {
				return 'NULL';
			}
			return strtr( (string) $value, array( "\\" => '\\\\', "\t" => '\t', "\n" => '\n', "\0" => '\0' ) );
		};
		if ( $rows && $has_names ) {
			echo implode( "\t", array_map( $write, array_keys( $rows[0] ) ) ), "\n";
		}
		foreach ( $rows as $row ) {
			echo implode( "\t", array_map( $write, $row ) ), "\n";
		}
	}

	private function for_each_table( string $verb, string $success ) {
		foreach ( $this->all_tables() as $table ) {
			$rows = $this->ask( "$verb TABLE `$table`" );
			WP_CLI::line( sprintf( '%s.%-40s %s', DB_NAME, $table, end( $rows )['Msg_text'] ?? 'OK' ) );
		}
		WP_CLI::success( $success );
	}

	private function all_tables(): array {
		global $wpdb;
		return $wpdb->get_col( 'SHOW TABLES' );
	}

	private function wanted_tables( array $assoc_args ): array {
		$named = fn( $name ) => array_filter( array_map( 'trim', explode( ',', $assoc_args[ $name ] ?? '' ) ) );
		$all   = $this->all_tables();
		foreach ( $named( 'tables' ) as $table ) {
			if ( ! in_array( $table, $all, true ) ) {
				WP_CLI::error( "There is no table '$table'." );
			}
		}
		return array_diff( $named( 'tables' ) ?: $all, $named( 'exclude_tables' ) );
	}

	private function export_table( $out, string $table ) {
		global $wpdb;
		$made = $wpdb->get_row( "SHOW CREATE TABLE `$table`", ARRAY_A );
		fwrite( $out, "\nDROP TABLE IF EXISTS `$table`;\n" . rtrim( $made['Create Table'], ";\n" ) . ";\n" );
		for ( $from = 0; ; $from += self::ROWS_AT_ONCE ) {
			$rows = $wpdb->get_results( "SELECT * FROM `$table` LIMIT " . self::ROWS_AT_ONCE . " OFFSET $from", ARRAY_A );
			foreach ( $rows as $row ) {
				fwrite( $out, "INSERT INTO `$table` VALUES (" . implode( ',', array_map( array( $this, 'quote' ), $row ) ) . ");\n" );
			}
			if ( count( $rows ) < self::ROWS_AT_ONCE ) {
				return;
			}
		}
	}

	private function quote( $value ): string {
		if ( null === $value ) {
			return 'NULL';
		}
		$escapes = array( "\\" => '\\\\', "'" => "\\'", "\n" => '\n', "\r" => '\r', "\0" => '\0', "\x1a" => '\Z' );
		return "'" . strtr( (string) $value, $escapes ) . "'";
	}
}
