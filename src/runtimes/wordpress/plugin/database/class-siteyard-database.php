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
		if ( ! Siteyard_Query::may_need_change( $query ) ) {
			return $this->run( $query, $query, $how );
		}
		$asked = $this->parse( $query );
		if ( ! $asked ) {
			return $this->run( $query, $query, $how );
		}
		$renames = $asked->renames();
		if ( $renames ) {
			return $this->rename_tables( $query, $asked->without_rename(), $renames, $how );
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

	/** How a table was made; null where there is none. */
	private function create_statement( string $table ): ?Siteyard_Query {
		$row = parent::query( 'SHOW CREATE TABLE ' . siteyard_quote_name( $table ) )->fetch( PDO::FETCH_NUM );
		return $row ? $this->parse( $row[1] ) : null;
	}

	/**
	 * SQLite knows a table's name in more places than the integration would follow, so the table is made anew under its new name. All
	 * of it happens or nothing; as in MySQL, a transaction before it is committed.
	 */
	private function rename_tables( string $asked, ?string $before, array $renames, array $how ) {
		$this->run( $asked, 'START TRANSACTION' );
		try {
			if ( null !== $before ) {
				$this->run( $asked, $before );
			}
			foreach ( $renames as list( $old, $new ) ) {
				$result = $this->move_table( $asked, $old, $new, $how );
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

	private function move_table( string $asked, string $old, string $new, array $how ) {
		$table = $this->create_statement( $old );
		// One that is not there makes its own error.
		$this->run( $asked, $table ? $table->as_copy( $new ) : 'SELECT 1 FROM ' . siteyard_quote_name( $old ) );
		$columns = implode( ', ', array_map( 'siteyard_quote_name', $this->columns( $old ) ) );
		$this->execute_sqlite_query(
			sprintf( 'INSERT INTO %s (%s) SELECT %s FROM %s', siteyard_quote_name( $new ), $columns, $columns, siteyard_quote_name( $old ) )
		);
		return $this->run( $asked, 'DROP TABLE ' . siteyard_quote_name( $old ), $how );
	}

	/** @return string[] */
	private function columns( string $table ): array {
		return $this->execute_sqlite_query( 'SELECT name FROM pragma_table_info(?)', array( $table ) )->fetchAll( PDO::FETCH_COLUMN );
	}
}

function siteyard_quote_name( string $name ): string {
	return '`' . str_replace( '`', '``', $name ) . '`';
}
