<?php
/**
 * MySQL's dates, where SQLite's differ or are missing. License: GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

/** The parts of each unit, from the largest; MySQL fills them from the right. */
const SITEYARD_UNITS = array(
	'YEAR'          => array( 'month' => 12 ),
	'QUARTER'       => array( 'month' => 3 ),
	'MONTH'         => array( 'month' => 1 ),
	'WEEK'          => array( 'day' => 7 ),
	'DAY'           => array( 'day' => 1 ),
	'HOUR'          => array( 'second' => 3600 ),
	'MINUTE'        => array( 'second' => 60 ),
	'SECOND'        => array( 'second' => 1 ),
	'YEAR_MONTH'    => array( 'YEAR', 'MONTH' ),
	'DAY_HOUR'      => array( 'DAY', 'HOUR' ),
	'DAY_MINUTE'    => array( 'DAY', 'HOUR', 'MINUTE' ),
	'DAY_SECOND'    => array( 'DAY', 'HOUR', 'MINUTE', 'SECOND' ),
	'HOUR_MINUTE'   => array( 'HOUR', 'MINUTE' ),
	'HOUR_SECOND'   => array( 'HOUR', 'MINUTE', 'SECOND' ),
	'MINUTE_SECOND' => array( 'MINUTE', 'SECOND' ),
);

/** A date as MySQL reads it, or null; the letter ! keeps what is not said at zero. */
function siteyard_date( $text ): ?DateTimeImmutable {
	static $zone = new DateTimeZone( 'UTC' );
	$is_date = preg_match( '/^\s*(\d{4})-?(\d\d)-?(\d\d)(?:[T\s]?(\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?)?\s*$/', (string) $text, $parts );
	if ( ! $is_date || ! checkdate( (int) $parts[2], (int) $parts[3], (int) $parts[1] ) ) {
		return null;
	}
	$parts += array( 4 => '00', 5 => '00', 6 => '00' );
	$date   = DateTimeImmutable::createFromFormat( '!YmdHis', $parts[1] . $parts[2] . $parts[3] . $parts[4] . $parts[5] . $parts[6], $zone );
	return $date && (int) $parts[4] < 24 && (int) $parts[5] < 60 && (int) $parts[6] < 60 ? $date : null;
}

/** Days of whole months keep to the month: the 31st of January and a month is the last of February. */
function siteyard_add_months( DateTimeImmutable $date, int $count ): ?DateTimeImmutable {
	$months = (int) $date->format( 'Y' ) * 12 + (int) $date->format( 'n' ) - 1 + $count;
	if ( $months < 12 || $months >= 120_000 ) {
		return null;
	}
	$first = $date->setDate( intdiv( $months, 12 ), $months % 12 + 1, 1 );
	return $first->setDate( (int) $first->format( 'Y' ), (int) $first->format( 'n' ), min( (int) $date->format( 'j' ), (int) $first->format( 't' ) ) );
}

function siteyard_date_add( $text, $value, $unit, $sign = 1 ): ?string {
	$date  = siteyard_date( $text );
	$parts = SITEYARD_UNITS[ $unit ] ?? null;
	if ( ! $date || null === $value || ! $parts ) {
		return null;
	}
	$amounts = array( 'month' => 0, 'day' => 0, 'second' => 0 );
	if ( array_is_list( $parts ) ) {
		preg_match_all( '/\d+/', (string) $value, $numbers );
		$sign *= str_starts_with( ltrim( (string) $value ), '-' ) ? -1 : 1;
		foreach ( array_reverse( array_slice( $parts, -count( $numbers[0] ) ) ) as $each ) {
			$amounts[ key( SITEYARD_UNITS[ $each ] ) ] += $sign * (int) array_pop( $numbers[0] ) * current( SITEYARD_UNITS[ $each ] );
		}
	} else {
		$amounts[ key( $parts ) ] = $sign * (int) round( (float) $value ) * current( $parts );
	}
	$date = siteyard_add_months( $date, $amounts['month'] );
	// Beyond these, a year is no longer one.
	if ( ! $date || abs( $amounts['day'] ) > 4e6 || abs( $amounts['second'] ) > 4e11 ) {
		return null;
	}
	$date = $date->modify( sprintf( '%+d days %+d seconds', $amounts['day'], $amounts['second'] ) );
	if ( ! $date || (int) $date->format( 'Y' ) < 1 || (int) $date->format( 'Y' ) > 9999 ) {
		return null;
	}
	$has_time = preg_match( '/\d[T\s]\d|^\d{14}$/', trim( (string) $text ) ) || str_contains( $unit, 'HOUR' ) || str_contains( $unit, 'MINUTE' ) || str_contains( $unit, 'SECOND' );
	return $date->format( $has_time ? 'Y-m-d H:i:s' : 'Y-m-d' );
}

/** Whole units from one date to another. */
function siteyard_timestampdiff( $unit, $from, $to ): ?int {
	$unit            = preg_replace( '/^SQL_TSI_/', '', (string) $unit );
	list( $a, $b )   = array( siteyard_date( $from ), siteyard_date( $to ) );
	$parts           = SITEYARD_UNITS[ $unit ] ?? null;
	if ( ! $a || ! $b || ! $parts || array_is_list( $parts ) ) {
		return null;
	}
	$size = current( $parts );
	if ( 'month' !== key( $parts ) ) {
		return intdiv( $b->getTimestamp() - $a->getTimestamp(), $size * ( 'day' === key( $parts ) ? 86_400 : 1 ) );
	}
	$sign          = $a <= $b ? 1 : -1;
	list( $a, $b ) = $sign > 0 ? array( $a, $b ) : array( $b, $a );
	$months        = ( (int) $b->format( 'Y' ) - (int) $a->format( 'Y' ) ) * 12 + (int) $b->format( 'n' ) - (int) $a->format( 'n' );
	$months       -= $b->format( 'd His' ) < $a->format( 'd His' ) ? 1 : 0;
	return $sign * intdiv( $months, $size );
}

/** MySQL's letters in PHP's words. */
const SITEYARD_DATE_LETTERS = array(
	'a' => 'D', 'b' => 'M', 'c' => 'n', 'D' => 'jS', 'd' => 'd', 'e' => 'j', 'f' => 'u', 'H' => 'H', 'h' => 'h', 'I' => 'h', 'i' => 'i',
	'k' => 'G', 'l' => 'g', 'M' => 'F', 'm' => 'm', 'p' => 'A', 'r' => 'h:i:s A', 'S' => 's', 's' => 's', 'T' => 'H:i:s', 'v' => 'W',
	'W' => 'l', 'w' => 'w', 'x' => 'o', 'Y' => 'Y', 'y' => 'y',
);

function siteyard_date_format( $text, $format ): ?string {
	$date = siteyard_date( $text );
	if ( ! $date || null === $format ) {
		return null;
	}
	return preg_replace_callback(
		'/%(.)/su',
		fn( $found ) => match ( $found[1] ) {
			'j'           => sprintf( '%03d', (int) $date->format( 'z' ) + 1 ),
			'U'           => sprintf( '%02d', siteyard_week( $date, 0 ) ),
			'u'           => sprintf( '%02d', siteyard_week( $date, 1 ) ),
			default       => isset( SITEYARD_DATE_LETTERS[ $found[1] ] ) ? $date->format( SITEYARD_DATE_LETTERS[ $found[1] ] ) : $found[1],
		},
		(string) $format
	);
}

/** Weeks from the first Sunday of the year (0), or from the first week with more than three days in it (1). */
function siteyard_week( DateTimeImmutable $date, int $mode ): int {
	$day   = (int) $date->format( 'z' );
	$first = (int) $date->setDate( (int) $date->format( 'Y' ), 1, 1 )->format( 'w' );
	if ( 0 === $mode ) {
		return intdiv( $day + 7 - ( 7 - $first ) % 7, 7 );
	}
	$from_monday = ( $first + 6 ) % 7;
	return intdiv( $day + $from_monday, 7 ) + ( $from_monday <= 3 ? 1 : 0 );
}

/** Year and week; the last days of a year may be of the next one's first week, and the other way round. */
function siteyard_yearweek( $text, $mode = 0 ): ?int {
	$date = siteyard_date( $text );
	if ( ! $date || 1 === (int) $mode % 2 ) {
		return $date ? (int) $date->format( 'oW' ) : null;
	}
	$week = siteyard_week( $date, 0 );
	$year = (int) $date->format( 'Y' );
	return $week ? $year * 100 + $week : ( $year - 1 ) * 100 + siteyard_week( $date->setDate( $year - 1, 12, 31 ), 0 );
}

/** Reads a date by MySQL's letters. */
function siteyard_str_to_date( $text, $format ): ?string {
	static $patterns = array(
		'Y' => '(?<Y>\d{4})', 'y' => '(?<y>\d\d)', 'm' => '(?<m>\d{1,2})', 'c' => '(?<m>\d{1,2})', 'd' => '(?<d>\d{1,2})', 'e' => '(?<d>\d{1,2})',
		'M' => '(?<M>[a-z]+)', 'b' => '(?<M>[a-z]+)', 'H' => '(?<H>\d{1,2})', 'k' => '(?<H>\d{1,2})', 'h' => '(?<h>\d{1,2})', 'I' => '(?<h>\d{1,2})',
		'l' => '(?<h>\d{1,2})', 'i' => '(?<i>\d{1,2})', 's' => '(?<s>\d{1,2})', 'S' => '(?<s>\d{1,2})', 'f' => '\d{1,6}', 'p' => '(?<p>[ap]m)',
		'T' => '(?<H>\d{1,2}):(?<i>\d{1,2}):(?<s>\d{1,2})', 'a' => '[a-z]+', 'W' => '[a-z]+', '%' => '%',
	);
	if ( null === $text || null === $format ) {
		return null;
	}
	$pattern = '';
	foreach ( preg_split( '/(%.)/su', (string) $format, -1, PREG_SPLIT_DELIM_CAPTURE ) as $part ) {
		$is_letter = 2 === strlen( $part ) && '%' === $part[0];
		$pattern  .= $is_letter ? ( $patterns[ $part[1] ] ?? '(?!)' ) : preg_replace( '/\s+/', '\s*', preg_quote( $part, '/' ) );
	}
	if ( ! preg_match( "/^\s*$pattern/iJ", (string) $text, $found ) ) {
		return null;
	}
	$found += array( 'Y' => '', 'y' => '', 'm' => '', 'M' => '', 'd' => '', 'H' => '', 'h' => '', 'i' => '', 's' => '', 'p' => '' );
	$year   = '' !== $found['Y'] ? (int) $found['Y'] : ( '' !== $found['y'] ? (int) $found['y'] + ( $found['y'] < 70 ? 2000 : 1900 ) : 0 );
	$named  = '' !== $found['M'] ? date_parse( '1 ' . $found['M'] . ' 2000' )['month'] : 0;
	$month  = '' !== $found['m'] ? (int) $found['m'] : (int) $named;
	$hour   = '' !== $found['h'] ? (int) $found['h'] % 12 + ( 'pm' === strtolower( $found['p'] ) ? 12 : 0 ) : (int) $found['H'];
	if ( $month > 12 || (int) $found['d'] > 31 || $hour > 23 || (int) $found['i'] > 59 || (int) $found['s'] > 59 ) {
		return null;
	}
	$date     = sprintf( '%04d-%02d-%02d', $year, $month, (int) $found['d'] );
	$time     = sprintf( '%02d:%02d:%02d', $hour, (int) $found['i'], (int) $found['s'] );
	$has_time = '' !== $found['H'] . $found['h'] . $found['i'] . $found['s'];
	$has_date = '' !== $found['Y'] . $found['y'] . $found['m'] . $found['M'] . $found['d'];
	return $has_date && $has_time ? "$date $time" : ( $has_date ? $date : $time );
}

/** Seconds of a time such as `-01:30:00`, or of a date's time. */
function siteyard_seconds( $text ): ?int {
	$date = siteyard_date( $text );
	if ( $date ) {
		return $date->getTimestamp() % 86_400;
	}
	if ( ! preg_match( '/^\s*(-?)(\d+):(\d\d)(?::(\d\d))?/', (string) $text, $parts ) ) {
		return null;
	}
	return ( '-' === $parts[1] ? -1 : 1 ) * ( (int) $parts[2] * 3600 + (int) $parts[3] * 60 + (int) ( $parts[4] ?? 0 ) );
}

function siteyard_time( ?int $seconds ): ?string {
	if ( null === $seconds ) {
		return null;
	}
	$size = abs( $seconds );
	return sprintf( '%s%02d:%02d:%02d', $seconds < 0 ? '-' : '', intdiv( $size, 3600 ), intdiv( $size, 60 ) % 60, $size % 60 );
}

function siteyard_timediff( $to, $from ): ?string {
	list( $a, $b ) = array( siteyard_date( $to ), siteyard_date( $from ) );
	if ( $a && $b ) {
		return siteyard_time( $a->getTimestamp() - $b->getTimestamp() );
	}
	list( $a, $b ) = array( siteyard_seconds( $to ), siteyard_seconds( $from ) );
	return null === $a || null === $b ? null : siteyard_time( $a - $b );
}

function siteyard_convert_tz( $text, $from, $to ): ?string {
	$date = siteyard_date( $text );
	try {
		list( $from, $to ) = array_map( fn( $zone ) => new DateTimeZone( 'SYSTEM' === $zone ? 'UTC' : (string) $zone ), array( $from, $to ) );
	} catch ( Exception ) {
		return null;
	}
	return $date ? ( new DateTimeImmutable( $date->format( 'Y-m-d H:i:s' ), $from ) )->setTimezone( $to )->format( 'Y-m-d H:i:s' ) : null;
}

/** One value out of a date, by PHP's letters. */
function siteyard_date_part( $text, string $letters ): ?string {
	return siteyard_date( $text )?->format( $letters );
}

function siteyard_extract( $unit, $text ): ?int {
	if ( 'QUARTER' === $unit ) {
		return siteyard_quarter( $text );
	}
	static $letters = array(
		'YEAR' => 'Y', 'MONTH' => 'n', 'DAY' => 'j', 'HOUR' => 'G', 'MINUTE' => 'i', 'SECOND' => 's', 'YEAR_MONTH' => 'Ym', 'DAY_HOUR' => 'jH',
		'DAY_MINUTE' => 'jHi', 'DAY_SECOND' => 'jHis', 'HOUR_MINUTE' => 'Gi', 'HOUR_SECOND' => 'Gis', 'MINUTE_SECOND' => 'is',
	);
	$part = isset( $letters[ $unit ] ) ? siteyard_date_part( $text, $letters[ $unit ] ) : null;
	return null === $part ? null : (int) $part;
}

function siteyard_quarter( $text ): ?int {
	$month = siteyard_date_part( $text, 'n' );
	return null === $month ? null : intdiv( (int) $month + 2, 3 );
}
