<?php
/**
 * Functions of MySQL that neither SQLite nor the integration has, or has otherwise. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

function siteyard_add_functions( PDO $sqlite, Siteyard_Database $database ): void {
	// Of the same arguments they make the same, so that SQLite calls them once where it can.
	foreach ( siteyard_pure_functions() as $name => list( $counts, $function ) ) {
		foreach ( (array) $counts as $count ) {
			$sqlite->sqliteCreateFunction( $name, fn( ...$values ) => siteyard_number( $function( ...$values ) ), $count, PDO::SQLITE_DETERMINISTIC );
		}
	}
	$locks = new Siteyard_Locks( dirname( FQDB ) );
	$named = random_int( 1, 0x7fffffff );
	$other = array(
		'get_lock'          => array( 2, fn( $name, $seconds ) => $locks->get( $name, $seconds ) ),
		'release_lock'      => array( 1, fn( $name ) => $locks->release( $name ) ),
		'release_all_locks' => array( 0, fn() => $locks->release_all() ),
		'is_free_lock'      => array( 1, fn( $name ) => $locks->is_free( $name ) ),
		'is_used_lock'      => array( 1, fn( $name ) => 0 === $locks->is_free( $name ) ? 1 : null ),
		'connection_id'     => array( 0, fn() => $named ),
		'last_insert_id'    => array( 0, fn() => siteyard_number( $database->last_insert_id() ) ),
		'user'              => array( 0, fn() => DB_NAME . '@localhost' ),
		'session_user'      => array( 0, fn() => DB_NAME . '@localhost' ),
		'uuid'              => array( 0, fn() => wp_generate_uuid4() ),
		'sleep'             => array( 1, fn( $seconds ) => usleep( (int) ( (float) $seconds * 1e6 ) ) ?? 0 ),
	);
	foreach ( $other as $name => list( $count, $function ) ) {
		$sqlite->sqliteCreateFunction( $name, $function, $count );
	}
	foreach ( siteyard_aggregates() as $name => list( $count, $add, $end ) ) {
		$sqlite->sqliteCreateAggregate( $name, $add, $end, $count );
	}
}

/** PHP hands SQLite the lower half of a whole number, so a larger one goes as the other kind. */
function siteyard_number( $value ) {
	return is_int( $value ) && ( $value > 0x7fffffff || $value < -0x80000000 ) ? (float) $value : $value;
}

/** @return array<string, array{int|int[], callable}> */
function siteyard_pure_functions(): array {
	// Nearly everything of nothing is nothing.
	$text = fn( callable $function ) => fn( ...$values ) => in_array( null, $values, true ) ? null : $function( ...$values );
	return array(
		'elt'                  => array( -1, fn( $n, ...$values ) => $n >= 1 ? $values[ (int) $n - 1 ] ?? null : null ),
		'find_in_set'          => array( 2, $text( 'siteyard_find_in_set' ) ),
		'substring_index'      => array( 3, $text( 'siteyard_substring_index' ) ),
		'lpad'                 => array( 3, $text( fn( $value, $length, $pad ) => siteyard_pad( $value, $length, $pad, true ) ) ),
		'rpad'                 => array( 3, $text( fn( $value, $length, $pad ) => siteyard_pad( $value, $length, $pad, false ) ) ),
		'repeat'               => array( 2, $text( fn( $value, $count ) => str_repeat( (string) $value, max( 0, (int) $count ) ) ) ),
		'space'                => array( 1, $text( fn( $count ) => str_repeat( ' ', max( 0, (int) $count ) ) ) ),
		'right'                => array( 2, $text( fn( $value, $length ) => $length > 0 ? mb_substr( (string) $value, -(int) $length ) : '' ) ),
		'strcmp'               => array( 2, $text( fn( $a, $b ) => mb_strtolower( (string) $a ) <=> mb_strtolower( (string) $b ) ) ),
		'ascii'                => array( 1, $text( fn( $value ) => '' === (string) $value ? 0 : ord( (string) $value ) ) ),
		'ord'                  => array( 1, $text( fn( $value ) => array_reduce( str_split( mb_substr( (string) $value, 0, 1 ) ), fn( $sum, $byte ) => $sum * 256 + ord( $byte ), 0 ) ) ),
		'bin'                  => array( 1, $text( fn( $value ) => decbin( (int) $value ) ) ),
		'conv'                 => array( 3, $text( fn( $value, $from, $to ) => strtoupper( base_convert( (string) $value, (int) $from, (int) $to ) ) ) ),
		'sha'                  => array( 1, $text( fn( $value ) => sha1( (string) $value ) ) ),
		'sha1'                 => array( 1, $text( fn( $value ) => sha1( (string) $value ) ) ),
		'sha2'                 => array( 2, $text( fn( $value, $bits ) => in_array( (int) $bits, array( 0, 224, 256, 384, 512 ), true ) ? hash( 'sha' . ( (int) $bits ?: 256 ), (string) $value ) : null ) ),
		'crc32'                => array( 1, $text( fn( $value ) => crc32( (string) $value ) ) ),
		'truncate'             => array( 2, $text( fn( $value, $places ) => ( (float) $value < 0 ? ceil( ...) : floor( ... ) )( round( (float) $value * 10 ** (int) $places, 6 ) ) / 10 ** (int) $places ) ),
		// SQLite has another function of this name.
		'format'               => array( 2, $text( fn( $value, $places ) => number_format( (float) $value, max( 0, (int) $places ) ) ) ),
		'regexp_like'          => array( 2, $text( fn( $value, $pattern ) => siteyard_pattern( $pattern, fn( $regexp ) => preg_match( $regexp, (string) $value ) ) ) ),
		'regexp_replace'       => array( 3, $text( fn( $value, $pattern, $new ) => siteyard_pattern( $pattern, fn( $regexp ) => preg_replace( $regexp, (string) $new, (string) $value ) ) ) ),
		'regexp_substr'        => array( 2, $text( fn( $value, $pattern ) => siteyard_pattern( $pattern, fn( $regexp ) => preg_match( $regexp, (string) $value, $found ) ? $found[0] : null ) ) ),
		'inet6_aton'           => array( 1, $text( fn( $address ) => @inet_pton( (string) $address ) ?: null ) ),
		'inet6_ntoa'           => array( 1, $text( fn( $bytes ) => @inet_ntop( (string) $bytes ) ?: null ) ),
		'any_value'            => array( 1, fn( $value ) => $value ),
		'json_unquote'         => array( 1, $text( fn( $json ) => str_starts_with( (string) $json, '"' ) ? json_decode( (string) $json ) ?? $json : $json ) ),
		'json_length'          => array( array( 1, 2 ), $text( 'siteyard_json_length' ) ),
		'json_keys'            => array( 1, $text( fn( $json ) => is_object( $value = json_decode( (string) $json ) ) ? wp_json_encode( array_keys( (array) $value ) ) : null ) ),
		'json_contains'        => array( 2, $text( fn( $all, $one ) => (int) siteyard_json_contains( json_decode( (string) $all ), json_decode( (string) $one ) ) ) ),
		'siteyard_date_add'    => array( 4, 'siteyard_date_add' ),
		'siteyard_extract'     => array( 2, 'siteyard_extract' ),
		'siteyard_date_format' => array( 2, 'siteyard_date_format' ),
		'adddate'              => array( 2, fn( $date, $days ) => siteyard_date_add( $date, $days, 'DAY' ) ),
		'subdate'              => array( 2, fn( $date, $days ) => siteyard_date_add( $date, $days, 'DAY', -1 ) ),
		'timestampadd'         => array( 3, fn( $unit, $count, $date ) => siteyard_date_add( $date, $count, preg_replace( '/^SQL_TSI_/', '', (string) $unit ) ) ),
		'timestampdiff'        => array( 3, 'siteyard_timestampdiff' ),
		'timediff'             => array( 2, 'siteyard_timediff' ),
		'time_to_sec'          => array( 1, 'siteyard_seconds' ),
		'sec_to_time'          => array( 1, $text( fn( $seconds ) => siteyard_time( (int) $seconds ) ) ),
		'str_to_date'          => array( 2, 'siteyard_str_to_date' ),
		'convert_tz'           => array( 3, 'siteyard_convert_tz' ),
		'last_day'             => array( 1, fn( $date ) => siteyard_date_part( $date, 'Y-m-t' ) ),
		'dayname'              => array( 1, fn( $date ) => siteyard_date_part( $date, 'l' ) ),
		'monthname'            => array( 1, fn( $date ) => siteyard_date_part( $date, 'F' ) ),
		'dayofyear'            => array( 1, $text( fn( $date ) => null === ( $day = siteyard_date_part( $date, 'z' ) ) ? null : (int) $day + 1 ) ),
		'weekofyear'           => array( 1, $text( fn( $date ) => null === ( $week = siteyard_date_part( $date, 'W' ) ) ? null : (int) $week ) ),
		'yearweek'             => array( array( 1, 2 ), $text( 'siteyard_yearweek' ) ),
		'quarter'              => array( 1, 'siteyard_quarter' ),
		'to_days'              => array( 1, fn( $date ) => ( $day = siteyard_date( $date ) ) ? intdiv( $day->setTime( 0, 0 )->getTimestamp(), 86_400 ) + 719_528 : null ),
	);
}

/** @return array<string, array{int, callable, callable}> */
function siteyard_aggregates(): array {
	$list   = fn( $values, $row, $value ) => null === $value ? $values : array( ...( $values ?? array() ), $value );
	$spread = function ( $values, bool $is_sample ) {
		$count = count( $values ?? array() );
		if ( $count <= ( $is_sample ? 1 : 0 ) ) {
			return null;
		}
		$mean = array_sum( $values ) / $count;
		return array_sum( array_map( fn( $value ) => ( $value - $mean ) ** 2, $values ) ) / ( $is_sample ? $count - 1 : $count );
	};
	$root    = fn( ?float $value ) => null === $value ? null : sqrt( $value );
	$of_all  = fn( $values ) => $spread( $values, false );
	$root_of = fn( $values ) => $root( $spread( $values, false ) );
	return array(
		// Of values that differ, as most columns compare them: without regard to case. The first of equals stays.
		'group_concat'   => array(
			3,
			function ( $kept, $row, $value, $separator ) {
				if ( null !== $value ) {
					$kept['separator'] = $separator;
					$kept['values'][ 'v' . mb_strtolower( (string) $value ) ] ??= $value;
				}
				return $kept;
			},
			fn( $kept ) => $kept ? implode( (string) $kept['separator'], $kept['values'] ) : null,
		),
		'std'            => array( 1, $list, $root_of ),
		'stddev'         => array( 1, $list, $root_of ),
		'stddev_pop'     => array( 1, $list, $root_of ),
		'stddev_samp'    => array( 1, $list, fn( $values ) => $root( $spread( $values, true ) ) ),
		'variance'       => array( 1, $list, $of_all ),
		'var_pop'        => array( 1, $list, $of_all ),
		'var_samp'       => array( 1, $list, fn( $values ) => $spread( $values, true ) ),
		'bit_or'         => array( 1, fn( $bits, $row, $value ) => (int) $bits | (int) $value, fn( $bits ) => (int) $bits ),
		'bit_and'        => array( 1, fn( $bits, $row, $value ) => ( $bits ?? -1 ) & (int) ( $value ?? -1 ), fn( $bits ) => $bits ?? -1 ),
		'json_arrayagg'  => array( 1, fn( $values, $row, $value ) => array( ...( $values ?? array() ), $value ), fn( $values ) => $values ? wp_json_encode( $values ) : null ),
		'json_objectagg' => array( 2, fn( $values, $row, $name, $value ) => array( ...( $values ?? array() ), array( $name, $value ) ), fn( $values ) => $values ? wp_json_encode( (object) array_column( $values, 1, 0 ) ) : null ),
	);
}

/** The place of a value in a list with commas, from 1, or 0. */
function siteyard_find_in_set( $one, $set ): int {
	$place = '' === (string) $set ? false : array_search( mb_strtolower( (string) $one ), explode( ',', mb_strtolower( (string) $set ) ), true );
	return false === $place ? 0 : $place + 1;
}

function siteyard_substring_index( $text, $separator, $count ): string {
	if ( '' === (string) $separator || 0 === (int) $count ) {
		return '';
	}
	$parts = explode( (string) $separator, (string) $text );
	return implode( (string) $separator, $count > 0 ? array_slice( $parts, 0, (int) $count ) : array_slice( $parts, (int) $count ) );
}

function siteyard_pad( $value, $length, $pad, bool $is_left ): ?string {
	$missing = (int) $length - mb_strlen( (string) $value );
	if ( $length < 0 || ( $missing > 0 && '' === (string) $pad ) ) {
		return null;
	}
	if ( $missing <= 0 ) {
		return mb_substr( (string) $value, 0, (int) $length );
	}
	$filling = mb_substr( str_repeat( (string) $pad, $missing ), 0, $missing );
	return $is_left ? $filling . $value : $value . $filling;
}

/** Like MySQL without regard to case; null for a pattern that is none. */
function siteyard_pattern( $pattern, callable $use ) {
	$result = @$use( '/' . str_replace( '/', '\/', (string) $pattern ) . '/iu' );
	return false === $result ? null : $result;
}

function siteyard_json_length( $json, $path = '$' ): ?int {
	$value = json_decode( (string) $json );
	foreach ( preg_split( '/\.|\[(\d+)\]/', substr( (string) $path, 1 ), -1, PREG_SPLIT_NO_EMPTY | PREG_SPLIT_DELIM_CAPTURE ) as $step ) {
		$value = is_object( $value ) ? $value->{trim( $step, '"' )} ?? null : ( is_array( $value ) ? $value[ $step ] ?? null : null );
	}
	if ( null === $value ) {
		return null;
	}
	return is_object( $value ) || is_array( $value ) ? count( (array) $value ) : 1;
}

/** As MySQL says it: an array contains what one of its members contains, an object what its own members do. */
function siteyard_json_contains( $all, $one ): bool {
	if ( is_array( $all ) ) {
		$has = fn( $each ) => (bool) array_filter( $all, fn( $member ) => siteyard_json_contains( $member, $each ) );
		return is_array( $one ) ? array_filter( $one, $has ) === $one : $has( $one );
	}
	if ( is_object( $all ) && is_object( $one ) ) {
		foreach ( (array) $one as $name => $value ) {
			if ( ! property_exists( $all, $name ) || ! siteyard_json_contains( $all->$name, $value ) ) {
				return false;
			}
		}
		return true;
	}
	return is_numeric( $all ) && is_numeric( $one ) && ! is_string( $all ) && ! is_string( $one ) ? $all + 0 == $one + 0 : $all === $one;
}
