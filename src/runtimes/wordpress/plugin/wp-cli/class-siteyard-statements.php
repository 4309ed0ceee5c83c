<?php
/**
 * License: GPL-2.0-or-later
 */

/** The statements of a text in SQL, each without the semicolon that ends it. */
class Siteyard_Statements {
	/** A quoted text, a comment, or what ends a statement. */
	const PARTS = '/\'(?:[^\'\\\\]|\\\\.|\'\')*+\'|"(?:[^"\\\\]|\\\\.|"")*+"|`[^`]*+`|--(?=\s|$)[^\n]*|#[^\n]*|\/\*(?!!).*?\*\/|;/s';

	public static function in( string $text ): array {
		ini_set( 'pcre.backtrack_limit', '100000000' );
		ini_set( 'pcre.jit', '0' );
		$statements = array();
		$begin      = 0;
		preg_match_all( self::PARTS, $text, $found, PREG_OFFSET_CAPTURE );
		foreach ( $found[0] as list( $part, $at ) ) {
			if ( ';' === $part ) {
				$statements[] = trim( substr( $text, $begin, $at - $begin ) );
				$begin        = $at + 1;
			}
		}
		$statements[] = trim( substr( $text, $begin ) );
		return array_values( array_filter( $statements, fn( $one ) => '' !== trim( preg_replace( '/^(--|#).*$/m', '', $one ) ) ) );
	}
}
