<?php
/**
 * A query as the SQLite integration's parser reads it, to be written anew. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

class Siteyard_Query {
	/** A query without any of these is left alone, and not parsed twice. */
	private const SIGNS = '~\b(?:GROUP_CONCAT|INTERVAL|TIMESTAMPDIFF|TIMESTAMPADD|EXTRACT|DATE_FORMAT|RENAME|UNION|ISOLATION'
		. '|SQL_NO_CACHE|HIGH_PRIORITY|STRAIGHT_JOIN|SQL_SMALL_RESULT|SQL_BIG_RESULT|SQL_BUFFER_RESULT|DIV|MOD'
		. '|ALTER|OPTIMIZE|REPAIR|DROP\s+INDEX)\b'
		. '|\bIF\s*\(|\bCOUNT\s*\(\s*DISTINCT\b|^\s*CREATE\b.*\bLIKE\b|/~is';
	/** What is in quotes or in a comment is no sign; where this is mistaken, the parser finds out. */
	private const DATA = '~\'(?:[^\'\\\\]++|\\\\.)*+\'|"(?:[^"\\\\]++|\\\\.)*+"|/\*(?!!).*?\*/~s';
	/** What the integration writes into a query for SQLite, which has no such options; for the result they mean nothing. */
	private const OPTIONS = array(
		WP_MySQL_Lexer::SQL_NO_CACHE_SYMBOL, WP_MySQL_Lexer::HIGH_PRIORITY_SYMBOL, WP_MySQL_Lexer::STRAIGHT_JOIN_SYMBOL,
		WP_MySQL_Lexer::SQL_SMALL_RESULT_SYMBOL, WP_MySQL_Lexer::SQL_BIG_RESULT_SYMBOL, WP_MySQL_Lexer::SQL_BUFFER_RESULT_SYMBOL,
	);

	private string $source;
	private WP_Parser_Node $tree;
	private int $derived_tables = 0;

	public function __construct( string $source, WP_Parser_Node $tree ) {
		$this->source = $source;
		$this->tree   = $tree;
	}

	public static function may_need_change( string $query ): bool {
		$words = preg_replace( self::DATA, "''", $query );
		// What is too long for such a search is parsed.
		return null === $words || 1 === preg_match( self::SIGNS, $words );
	}

	public function tree(): WP_Parser_Node {
		return $this->tree;
	}

	/** What comes after the first of several queries stays as it is, for the integration to refuse. */
	public function text(): string {
		return $this->write( $this->tree ) . substr( $this->source, $this->tree->get_start() + $this->tree->get_length() );
	}

	/** The table of CREATE TABLE ... LIKE, or null. */
	public function like_table(): ?string {
		$create = $this->find( 'createTable' );
		$source = $create?->has_child_token( WP_MySQL_Lexer::LIKE_SYMBOL ) ? $create->get_first_child_node( 'tableRef' ) : null;
		return $source ? $this->name( $source ) : null;
	}

	/** @return array{string, string}[] Old and new names, in their order. */
	public function renames(): array {
		$pairs = array();
		if ( $this->find( 'renameTableStatement' ) ) {
			foreach ( $this->tree->get_descendant_nodes( 'renamePair' ) as $pair ) {
				$pairs[] = array( $this->name( $pair->get_first_child_node( 'tableRef' ) ), $this->name( $pair->get_first_child_node( 'tableName' ) ) );
			}
		}
		$alter = $this->find( 'alterTable' );
		foreach ( $alter ? $this->rename_items() : array() as $item ) {
			$pairs[] = array( $this->name( $alter->get_first_child_node( 'tableRef' ) ), $this->name( $item->get_first_child_node( 'tableName' ) ) );
		}
		return $pairs;
	}

	/** What else an ALTER TABLE with a new name asks for, or null. */
	public function without_rename(): ?string {
		$items  = $this->tree->get_descendant_nodes( 'alterListItem' );
		$others = array_filter( $items, fn( $item ) => ! in_array( $item, $this->rename_items(), true ) );
		if ( ! $others ) {
			return null;
		}
		$table = $this->name( $this->find( 'alterTable' )->get_first_child_node( 'tableRef' ) );
		return 'ALTER TABLE ' . siteyard_quote_name( $table ) . ' ' . implode( ', ', array_map( array( $this, 'write' ), $others ) );
	}

	/** @return string[] The tables that the integration makes anew for this. */
	public function rebuilt_tables(): array {
		$statement = $this->find( 'alterTable' ) ?? $this->find( 'tableAdministrationStatement' ) ?? $this->find( 'dropIndex' );
		return $statement ? array_map( array( $this, 'name' ), $statement->get_descendant_nodes( 'tableRef' ) ) : array();
	}

	/** For a CREATE TABLE. */
	public function is_temporary(): bool {
		return $this->find( 'createTable' )->has_child_token( WP_MySQL_Lexer::TEMPORARY_SYMBOL );
	}

	/** @return string[] For a CREATE TABLE: how it sets the number of the next row, if it does. */
	public function counter(): array {
		return array_map( array( $this, 'write' ), $this->counter_options() );
	}

	/** For a CREATE TABLE: the same as another query names it, as MySQL copies it, without the counter and the keys to other tables. */
	public function as_empty_copy( self $asked ): string {
		$keeps   = array();
		$removed = array();
		foreach ( $this->tree->get_descendant_nodes( 'tableElement' ) as $element ) {
			$is_foreign = $element->get_first_child_node( 'tableConstraintDef' )?->has_child_token( WP_MySQL_Lexer::FOREIGN_SYMBOL );
			$is_foreign || $keeps[] = $this->write( $element );
		}
		foreach ( $this->counter_options() as $option ) {
			$removed[] = array( $option, '' );
		}
		$create = $asked->find( 'createTable' );
		$name   = $this->find( 'tableName' );
		$before = $create->has_child_node( 'ifNotExists' ) ? 'IF NOT EXISTS ' : '';
		$text   = $this->write_with(
			array(
				array( $name, $before . siteyard_quote_name( $asked->name( $create->get_first_child_node( 'tableName' ) ) ) ),
				array( $this->find( 'tableElementList' ), implode( ",\n", $keeps ) ),
				...$removed,
			)
		);
		return $asked->is_temporary() && ! $this->is_temporary() ? 'CREATE TEMPORARY' . substr( ltrim( $text ), strlen( 'CREATE' ) ) : $text;
	}

	private function find( string $rule ): ?WP_Parser_Node {
		return $this->tree->get_first_descendant_node( $rule );
	}

	/** @return WP_Parser_Node[] */
	private function counter_options(): array {
		return array_filter(
			$this->tree->get_descendant_nodes( 'createTableOption' ),
			fn( $option ) => $option->has_child_token( WP_MySQL_Lexer::AUTO_INCREMENT_SYMBOL )
		);
	}

	/** @return WP_Parser_Node[] */
	private function rename_items(): array {
		return array_filter(
			$this->tree->get_descendant_nodes( 'alterListItem' ),
			fn( $item ) => $item->has_child_token( WP_MySQL_Lexer::RENAME_SYMBOL ) && $item->has_child_node( 'tableName' )
		);
	}

	/** The name of a table, without its quotes and without the database before it. */
	private function name( WP_Parser_Node $table ): string {
		$tokens = $table->get_descendant_tokens();
		return end( $tokens )->get_value();
	}

	private function write_with( array $replacements ): string {
		usort( $replacements, fn( $a, $b ) => $b[0]->get_start() <=> $a[0]->get_start() );
		$text = $this->source;
		foreach ( $replacements as list( $node, $new ) ) {
			$text = substr_replace( $text, $new, $node->get_start(), $node->get_length() );
		}
		return $text;
	}

	/** The text of a part, with what is in there written anew. */
	private function write( $part ): string {
		if ( ! $part instanceof WP_Parser_Node ) {
			return $part->get_bytes();
		}
		$changed = match ( $part->rule_name ) {
			'sumExpr'             => $this->write_aggregate( $part ),
			'runtimeFunctionCall' => $this->write_runtime_call( $part ),
			'functionCall'        => $this->write_call( $part ),
			'bitExpr'             => $this->write_operations( $part ),
			'simpleExprBody'      => $this->write_interval_first( $part ),
			'selectOption'        => in_array( $part->get_first_descendant_token()->id, self::OPTIONS, true ) ? '' : null,
			'queryExpressionBody' => $this->write_union( $part ),
			// SQLite's transactions see nothing of each other, which is the strictest level there is.
			'setStatement'        => $part->get_first_descendant_node( 'isolationLevel' ) ? 'SET @siteyard_isolation = 1' : null,
			default               => null,
		};
		return $changed ?? $this->write_children( $part->get_children() );
	}

	/** Parts as they are, with what is between them in the source. */
	private function write_children( array $parts, ?callable $write = null ): string {
		$text = '';
		$end  = null;
		foreach ( $parts as $part ) {
			$tokens = $part instanceof WP_Parser_Node ? $part->get_descendant_tokens() : array( $part );
			if ( ! $tokens ) {
				continue;
			}
			$start = $tokens[0]->start;
			$last  = end( $tokens );
			$text .= ( null === $end ? '' : substr( $this->source, $end, $start - $end ) ) . ( $write ? $write( $part ) : $this->write( $part ) );
			$end   = $last->start + $last->length;
		}
		return $text;
	}

	/** @return string[] */
	private function write_each( WP_Parser_Node $list ): array {
		return array_map( array( $this, 'write' ), $list->get_child_nodes() );
	}

	/**
	 * SQLite's GROUP_CONCAT has the separator as its second argument, and takes none together with DISTINCT; for that one, functions.php
	 * has another with three.
	 */
	private function write_aggregate( WP_Parser_Node $part ): ?string {
		$is_distinct = $part->has_child_token( WP_MySQL_Lexer::DISTINCT_SYMBOL );
		$list        = $part->get_first_child_node( 'exprList' );
		$name        = $part->get_first_child_token()?->id;
		$values      = $list ? $this->write_each( $list ) : array();
		if ( WP_MySQL_Lexer::COUNT_SYMBOL === $name && $is_distinct && count( $values ) > 1 ) {
			return 'COUNT(DISTINCT CONCAT(' . implode( ', CHAR(31), ', $values ) . '))';
		}
		if ( WP_MySQL_Lexer::GROUP_CONCAT_SYMBOL !== $name || ! $values ) {
			return null;
		}
		$separator = $part->get_first_child_node( 'textString' );
		$order     = $part->get_first_child_node( 'orderClause' );
		$value     = count( $values ) > 1 ? 'CONCAT(' . implode( ', ', $values ) . ')' : $values[0];
		$ordered   = $order ? ' ' . $this->write( $order ) : '';
		if ( ! $separator ) {
			return sprintf( 'GROUP_CONCAT(%s%s%s)', $is_distinct ? 'DISTINCT ' : '', $value, $ordered );
		}
		return sprintf( 'GROUP_CONCAT(%s, %s%s%s)', $value, $this->write( $separator ), $is_distinct ? ', 1' : '', $ordered );
	}

	private function write_runtime_call( WP_Parser_Node $part ): ?string {
		$nodes = $part->get_child_nodes();
		switch ( $part->get_first_child_token()?->id ) {
			case WP_MySQL_Lexer::IF_SYMBOL:
				// The integration takes every condition for false.
				return 'IIF(' . implode( ', ', array_map( array( $this, 'write' ), $nodes ) ) . ')';
			case WP_MySQL_Lexer::EXTRACT_SYMBOL:
				return sprintf( "siteyard_extract('%s', %s)", strtoupper( $this->write( $nodes[0] ) ), $this->write( $nodes[1] ) );
			case WP_MySQL_Lexer::DATE_ADD_SYMBOL:
			case WP_MySQL_Lexer::ADDDATE_SYMBOL:
				return $part->has_child_token( WP_MySQL_Lexer::INTERVAL_SYMBOL ) ? $this->add( $this->write( $nodes[0] ), $nodes[1], $nodes[2], 1 ) : null;
			case WP_MySQL_Lexer::DATE_SUB_SYMBOL:
			case WP_MySQL_Lexer::SUBDATE_SYMBOL:
				return $part->has_child_token( WP_MySQL_Lexer::INTERVAL_SYMBOL ) ? $this->add( $this->write( $nodes[0] ), $nodes[1], $nodes[2], -1 ) : null;
			default:
				return null;
		}
	}

	private function write_call( WP_Parser_Node $part ): ?string {
		$nodes  = $part->get_child_nodes();
		$name   = strtoupper( $this->write( $nodes[0] ) );
		$values = isset( $nodes[1] ) ? $this->write_each( $nodes[1] ) : array();
		if ( in_array( $name, array( 'TIMESTAMPDIFF', 'TIMESTAMPADD' ), true ) && 3 === count( $values ) ) {
			return sprintf( "%s('%s', %s, %s)", $name, preg_replace( '/\W/', '', strtoupper( $values[0] ) ), $values[1], $values[2] );
		}
		// The integration translates these letters rightly, and SQLite does them faster.
		$is_plain = isset( $values[1] ) && preg_match( '/^\'(?:[^%\'\\\\]|%[YmdHi])*\'$/', $values[1] );
		return 'DATE_FORMAT' === $name && 2 === count( $values ) && ! $is_plain ? "siteyard_date_format({$values[0]}, {$values[1]})" : null;
	}

	/** `date + INTERVAL 1 DAY - INTERVAL 2 HOUR` and divisions, from the left. */
	private function write_operations( WP_Parser_Node $part ): ?string {
		$parts = $part->get_children();
		$text  = $this->write( array_shift( $parts ) );
		while ( $parts ) {
			$operator = array_shift( $parts );
			$next     = array_shift( $parts );
			if ( ! $next || $operator instanceof WP_Parser_Node ) {
				return null;
			}
			if ( ! $next instanceof WP_Parser_Node && WP_MySQL_Lexer::INTERVAL_SYMBOL === $next->id ) {
				$text = $this->add( $text, array_shift( $parts ), array_shift( $parts ), WP_MySQL_Lexer::MINUS_OPERATOR === $operator->id ? -1 : 1 );
				continue;
			}
			// SQLite's half of five is two, as MySQL's DIV has it.
			$sign  = match ( $operator->id ) {
				WP_MySQL_Lexer::DIV_OPERATOR => '* 1.0 /',
				WP_MySQL_Lexer::DIV_SYMBOL   => '/',
				WP_MySQL_Lexer::MOD_SYMBOL   => '%',
				default                      => $operator->get_bytes(),
			};
			$text .= " $sign " . $this->write( $next );
		}
		return $text;
	}

	/** `INTERVAL 1 DAY + date`. */
	private function write_interval_first( WP_Parser_Node $part ): ?string {
		if ( WP_MySQL_Lexer::INTERVAL_SYMBOL !== $part->get_first_child_token()?->id || ! $part->has_child_node( 'interval' ) ) {
			return null;
		}
		list( $count, $unit, $date ) = $part->get_child_nodes();
		return $this->add( $this->write( $date ), $count, $unit, 1 );
	}

	private function add( string $date, WP_Parser_Node $count, WP_Parser_Node $unit, int $sign ): string {
		return sprintf( "siteyard_date_add(%s, %s, '%s', %d)", $date, $this->write( $count ), strtoupper( $this->write( $unit ) ), $sign );
	}

	/** SQLite takes no parentheses around the parts of a UNION, where MySQL needs them for an order or a limit of their own. */
	private function write_union( WP_Parser_Node $part ): ?string {
		if ( ! $part->has_child_token( WP_MySQL_Lexer::UNION_SYMBOL ) ) {
			return null;
		}
		return $this->write_children(
			$part->get_children(),
			function ( $each ) {
				$text = $this->write( $each );
				if ( ! $each instanceof WP_Parser_Node || ! $each->has_child_node( 'queryExpressionParens' ) ) {
					return $text;
				}
				return sprintf( 'SELECT * FROM %s AS siteyard_part_%d', $text, ++$this->derived_tables );
			}
		);
	}
}
