<?php
/**
 * The SQLite integration with what plugins use and it lacks. License: GPL-2.0-or-later
 *
 * The integration parses MySQL's language and translates it. A query with something that it translates wrongly, or not at all, is
 * written anew here, still in MySQL's language and by its own parser, before it translates it.
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/class-siteyard-query.php';
require_once __DIR__ . '/class-siteyard-locks.php';
require_once __DIR__ . '/dates.php';
require_once __DIR__ . '/functions.php';
require_once __DIR__ . '/missing.php';

class Siteyard_Database extends WP_MySQL_On_SQLite {
	private int $last_insert_id = 0;

	/** Takes over the connection of another one. */
	public static function in_place_of( WP_MySQL_On_SQLite $other ): self {
		$sqlite   = $other->get_sqlite_pdo();
		$settings = sprintf( 'mysql-on-sqlite:path=%s;dbname=%s', str_replace( ';', ';;', FQDB ), str_replace( ';', ';;', DB_NAME ) );
		$database = new self(
			$settings,
			null,
			null,
			array( 'sqlite_pdo' => $sqlite, 'sqlite_journal_mode' => SQLITE_JOURNAL_MODE )
		);
		$database->setAttribute( PDO::ATTR_STRINGIFY_FETCHES, true );
		// SQLite ends a transaction by deleting its journal, and waits for the disk to know of that only when it is told to. Without
		// it, what a plugin did next (charge a card, say) could survive a power cut that undid the order.
		$sqlite->exec( 'PRAGMA synchronous = EXTRA' );
		siteyard_add_functions( $sqlite, $database );
		return $database;
	}

	#[ReturnTypeWillChange]
	public function query( string $query, ?int $fetch_mode = null, ...$fetch_mode_args ) {
		// The integration forgets it with the next query of any kind.
		$this->last_insert_id = (int) parent::lastInsertId() ?: $this->last_insert_id;
		// It counts its arguments.
		$how = array_slice( func_get_args(), 1 );
		if ( self::asks_for_sizes( $query ) ) {
			$this->note_sizes();
		}
		if ( ! Siteyard_Query::may_need_change( $query ) ) {
			return $this->run( $query, $query, $how );
		}
		$asked = $this->parse( $query );
		if ( ! $asked ) {
			return $this->run( $query, $query, $how );
		}
		$renames = $asked->renames();
		if ( $renames ) {
			return $this->without_foreign_keys( fn() => $this->rename_tables( $query, $asked->without_rename(), $renames, $how ) );
		}
		$rebuilt = $asked->rebuilt_tables();
		if ( $rebuilt && $this->is_referenced( $rebuilt ) ) {
			return $this->without_foreign_keys( fn() => $this->run( $query, $asked->text(), $how ) );
		}
		$source = $asked->like_table();
		if ( null !== $source ) {
			return $this->run( $query, $this->create_statement( $source )?->as_empty_copy( $asked ) ?? $query, $how );
		}
		return $this->run( $query, $asked->text(), $how );
	}

	/** As LAST_INSERT_ID() tells it, also after other queries. */
	public function last_insert_id(): int {
		return $this->last_insert_id;
	}

	/** The query as the integration's own parser reads it; null where it can not. */
	public function parse( string $query ): ?Siteyard_Query {
		$parser = $this->create_parser( $query );
		$tree   = $parser->next_query() ? $parser->get_query_ast() : null;
		return $tree ? new Siteyard_Query( $query, $tree ) : null;
	}

	private function run( string $asked, string $query, array $how = array() ) {
		try {
			return parent::query( $query, ...$how );
		} catch ( PDOException $error ) {
			siteyard_tell_missing( $this, $asked );
			throw $error;
		}
	}

	private static function asks_for_sizes( string $query ): bool {
		return 0 === strncasecmp( ltrim( $query ), 'SHOW TABLE STATUS', 17 )
			|| ( false !== stripos( $query, 'information_schema' ) && false !== stripos( $query, 'data_length' ) );
	}

	/**
	 * Site Health and plugins add up what tables take, and the integration says nothing of it. This SQLite knows only what all of
	 * them take together, so each table gets a share of that by the number of its rows: the sum is right.
	 */
	private function note_sizes(): void {
		$list   = self::RESERVED_PREFIX . 'mysql_information_schema_tables';
		$tables = $this->execute_sqlite_query( "SELECT TABLE_NAME FROM $list WHERE TABLE_TYPE = 'BASE TABLE'" )->fetchAll( PDO::FETCH_COLUMN );
		$rows   = array();
		foreach ( $tables as $table ) {
			try {
				$rows[ $table ] = 1 + (int) $this->execute_sqlite_query( 'SELECT MAX(_rowid_) FROM ' . siteyard_quote_name( $table ) )->fetchColumn();
			} catch ( PDOException $error ) {
				// The lists may name what is not there; that is no reason to refuse the question.
				continue;
			}
		}
		$ask   = fn( string $setting ) => (int) $this->execute_sqlite_query( "PRAGMA $setting" )->fetchColumn();
		$bytes = $ask( 'page_count' ) * $ask( 'page_size' );
		foreach ( $rows as $table => $count ) {
			$share = (int) round( $bytes * $count / array_sum( $rows ) );
			$this->execute_sqlite_query( "UPDATE $list SET DATA_LENGTH = ?1 WHERE TABLE_NAME = ?2 AND DATA_LENGTH <> ?1", array( $share, $table ) );
		}
	}

	/** How a table was made; null where there is none. */
	private function create_statement( string $table ): ?Siteyard_Query {
		$row = parent::query( 'SHOW CREATE TABLE ' . siteyard_quote_name( $table ) )->fetch( PDO::FETCH_NUM );
		return $row ? $this->parse( $row[1] ) : null;
	}

	/** All of it happens or nothing. */
	private function rename_tables( string $asked, ?string $before, array $renames, array $how ) {
		$this->run( $asked, 'START TRANSACTION' );
		try {
			if ( null !== $before ) {
				$this->run( $asked, $before );
			}
			foreach ( $renames as list( $old, $new ) ) {
				$result = $this->rename_table( $asked, $old, $new, $how );
			}
			$this->run( $asked, 'COMMIT' );
			return $result;
		} catch ( Throwable $error ) {
			// The integration has done so for those of its own.
			if ( $this->inTransaction() ) {
				$this->rollBack();
			}
			throw $error;
		}
	}

	/**
	 * SQLite follows a new name into the tables that reference the old one, the integration's lists are told of it here. The names of
	 * indexes and triggers have the table's in them, so the integration makes the table anew from its lists.
	 */
	private function rename_table( string $asked, string $old, string $new, array $how ) {
		$table = $this->create_statement( $old );
		if ( ! $table ) {
			throw $this->error( '42S02', 1146, "Table '$old' doesn't exist" );
		}
		if ( $this->create_statement( $new ) ) {
			throw $this->error( '42S01', 1050, "Table '$new' already exists" );
		}
		$this->rename_in_lists( $table->is_temporary(), $old, $new );
		$this->execute_sqlite_query( sprintf( 'ALTER TABLE %s RENAME TO %s', siteyard_quote_name( $old ), siteyard_quote_name( $new ) ) );
		$options = implode( ', ', array( 'FORCE', ...$table->counter() ) );
		return $this->run( $asked, sprintf( 'ALTER TABLE %s %s', siteyard_quote_name( $new ), $options ), $how );
	}

	private function rename_in_lists( bool $is_temporary, string $old, string $new ): void {
		$list  = fn( string $name ) => self::RESERVED_PREFIX . 'mysql_information_schema_' . ( $is_temporary ? 'tmp_' : '' ) . $name;
		$names = array( $old, $new );
		// The integration leaves these behind when a table is dropped; the new one must not inherit them.
		foreach ( array( 'referential_constraints', 'key_column_usage' ) as $name ) {
			$this->execute_sqlite_query( "DELETE FROM {$list( $name )} WHERE TABLE_NAME = ?", array( $new ) );
		}
		$this->execute_sqlite_query(
			"DELETE FROM {$list( 'check_constraints' )} WHERE CONSTRAINT_NAME NOT IN (SELECT CONSTRAINT_NAME FROM {$list( 'table_constraints' )})"
		);

		// As in MySQL, the names that it made up for keys and checks change with the table's.
		$is_made_up = fn( string $kind ) => "substr(CONSTRAINT_NAME, 1, length(?1) + length('_{$kind}_')) = ?1 || '_{$kind}_' COLLATE NOCASE";
		$new_name   = 'CONSTRAINT_NAME = ?2 || substr(CONSTRAINT_NAME, length(?1) + 1)';
		$this->execute_sqlite_query(
			"UPDATE {$list( 'check_constraints' )} SET $new_name WHERE {$is_made_up( 'chk' )} AND CONSTRAINT_NAME IN
				(SELECT CONSTRAINT_NAME FROM {$list( 'table_constraints' )} WHERE TABLE_NAME = ?1 AND CONSTRAINT_TYPE = 'CHECK')",
			$names
		);
		foreach ( array( 'table_constraints', 'referential_constraints', 'key_column_usage' ) as $name ) {
			$this->execute_sqlite_query(
				"UPDATE {$list( $name )} SET $new_name WHERE TABLE_NAME = ?1 AND ({$is_made_up( 'ibfk' )} OR {$is_made_up( 'chk' )})",
				$names
			);
		}

		foreach ( array( 'tables', 'columns', 'statistics', 'table_constraints', 'referential_constraints', 'key_column_usage' ) as $name ) {
			$this->execute_sqlite_query( "UPDATE {$list( $name )} SET TABLE_NAME = ?2 WHERE TABLE_NAME = ?1", $names );
		}
		foreach ( array( 'referential_constraints', 'key_column_usage' ) as $name ) {
			$this->execute_sqlite_query( "UPDATE {$list( $name )} SET REFERENCED_TABLE_NAME = ?2 WHERE REFERENCED_TABLE_NAME = ?1", $names );
		}
	}

	/**
	 * For what makes a table anew: the old one is dropped, which to SQLite is the deletion of its rows, and those that reference them would
	 * go with them or forbid it. SQLite heeds this setting outside of a transaction alone; as in MySQL, one before it is committed.
	 */
	private function without_foreign_keys( callable $change ) {
		parent::query( 'COMMIT' );
		$before = (int) $this->execute_sqlite_query( 'PRAGMA foreign_keys' )->fetchColumn();
		$this->execute_sqlite_query( 'PRAGMA foreign_keys = OFF' );
		try {
			return $change();
		} finally {
			$this->execute_sqlite_query( "PRAGMA foreign_keys = $before" );
		}
	}

	/** Whether a foreign key, be it one of its own, leads to one of the tables. */
	private function is_referenced( array $tables ): bool {
		$list  = self::RESERVED_PREFIX . 'mysql_information_schema_referential_constraints';
		$marks = implode( ', ', array_fill( 0, count( $tables ), '?' ) );
		return false !== $this->execute_sqlite_query( "SELECT 1 FROM $list WHERE REFERENCED_TABLE_NAME IN ($marks)", $tables )->fetchColumn();
	}

	private function error( string $state, int $number, string $message ): WP_MySQL_On_SQLite_Exception {
		return new WP_MySQL_On_SQLite_Exception( $this, "SQLSTATE[$state]: $number $message", $state, null, array( $state, $number, $message ) );
	}
}

function siteyard_quote_name( string $name ): string {
	return '`' . str_replace( '`', '``', $name ) . '`';
}
