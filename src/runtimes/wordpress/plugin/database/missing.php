<?php
/**
 * Says in the site's log what a plugin asked for and the embedded database lacks. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

/** Statements that the integration has not, by the parser's names for them. */
const SITEYARD_MISSING_STATEMENTS = array(
	'createView'                   => 'views',
	'createTrigger'                => 'triggers',
	'createProcedure'              => 'stored procedures',
	'createFunction'               => 'stored functions',
	'callStatement'                => 'stored procedures',
	'createEvent'                  => 'events',
	'createDatabase'               => 'databases of its own',
	'preparedStatement'            => 'statements prepared in SQL',
	'handlerStatement'             => 'HANDLER',
	'loadStatement'                => 'LOAD DATA',
	'doStatement'                  => 'DO',
	'explainStatement'             => 'EXPLAIN',
	'otherAdministrativeStatement' => 'the administration of a server',
);
/** What SHOW can not show here. */
const SITEYARD_MISSING_LISTS = array( 'STATUS', 'PROCESSLIST', 'ENGINES', 'ENGINE', 'WARNINGS', 'ERRORS', 'TRIGGERS', 'EVENTS', 'PROFILES', 'PLUGINS', 'PRIVILEGES' );
/** Functions that are no functions of SQLite, because they are translated. */
const SITEYARD_TRANSLATED = array( 'rand', 'date_format', 'char_length', 'concat', 'found_rows', 'version', 'timestampdiff', 'timestampadd' );

/** To be called with a query that failed. */
function siteyard_tell_missing( Siteyard_Database $database, string $query ): void {
	static $told = array();
	$asked   = $database->parse( $query );
	$missing = $asked ? siteyard_missing( $database, $asked->tree() ) : null;
	if ( null === $missing ) {
		return;
	}
	$line = sprintf( '%s asked for %s, which the embedded database lacks; the production driver has it', siteyard_asker(), $missing );
	// A plugin may ask for the same a thousand times while it makes one page.
	if ( ! isset( $told[ $line ] ) ) {
		$told[ $line ] = true;
		error_log( $line );
	}
}

/** What of a query that failed is missing here; null where it failed for another reason. */
function siteyard_missing( Siteyard_Database $database, WP_Parser_Node $tree ): ?string {
	foreach ( $tree->get_descendant_tokens( WP_MySQL_Lexer::AGAINST_SYMBOL ) as $token ) {
		return 'FULLTEXT';
	}
	foreach ( SITEYARD_MISSING_STATEMENTS as $rule => $name ) {
		if ( $tree->get_first_descendant_node( $rule ) ) {
			return $name;
		}
	}
	foreach ( $tree->get_first_descendant_node( 'showStatement' )?->get_child_tokens() ?? array() as $token ) {
		$word = strtoupper( $token->get_bytes() );
		if ( in_array( $word, SITEYARD_MISSING_LISTS, true ) ) {
			return "SHOW $word";
		}
	}
	if ( $tree->get_first_descendant_node( 'createTable' )?->get_first_descendant_node( 'queryExpression' ) ) {
		return 'CREATE TABLE ... SELECT';
	}
	if ( ! $tree->get_first_descendant_node( 'setStatement' ) && $tree->get_descendant_tokens( WP_MySQL_Lexer::ASSIGN_OPERATOR ) ) {
		return 'variables that a query sets';
	}
	return siteyard_missing_function( $database, $tree );
}

function siteyard_missing_function( Siteyard_Database $database, WP_Parser_Node $tree ): ?string {
	$known = $database->execute_sqlite_query( 'SELECT DISTINCT lower(name) FROM pragma_function_list' )->fetchAll( PDO::FETCH_COLUMN );
	foreach ( array( 'functionCall', 'sumExpr', 'jsonFunction' ) as $rule ) {
		foreach ( $tree->get_descendant_nodes( $rule ) as $call ) {
			$name = strtolower( $call->get_first_descendant_token()->get_value() );
			if ( ! in_array( $name, $known, true ) && ! in_array( $name, SITEYARD_TRANSLATED, true ) ) {
				return 'the function ' . strtoupper( $name );
			}
		}
	}
	return null;
}

/** Whose code asked: the nearest plugin or theme among those that are at work. */
function siteyard_asker(): string {
	$kinds = array(
		'must-use plugin' => array( WPMU_PLUGIN_DIR ),
		'plugin'          => array( WP_PLUGIN_DIR ),
		'theme'           => array( WP_CONTENT_DIR . '/themes', SITEYARD_THEMES ),
	);
	foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) as $call ) {
		foreach ( $kinds as $kind => $folders ) {
			foreach ( $folders as $folder ) {
				if ( str_starts_with( $call['file'] ?? '', "$folder/" ) ) {
					return $kind . ' ' . strtok( substr( $call['file'], strlen( $folder ) + 1 ), '/' );
				}
			}
		}
	}
	return 'WordPress';
}
