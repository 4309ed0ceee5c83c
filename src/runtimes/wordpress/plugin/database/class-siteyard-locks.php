<?php
/**
 * GET_LOCK and its like, among all processes of a site. License: GPL-2.0-or-later
 *
 * A lock is the operating system's, on a file beside the database, so it ends with the request or the process that holds it, however
 * that one ends. Whoever gives a lock back removes its file; whoever got a file that was removed meanwhile tries again.
 */

defined( 'ABSPATH' ) || exit;

class Siteyard_Locks {
	private const LOOK_AGAIN_US = 20_000;
	/** MySQL's own limit. */
	private const LONGEST_NAME = 64;

	/** @var array<string, array{file: resource, count: int}> */
	private array $held = array();
	private string $folder;

	public function __construct( string $folder ) {
		$this->folder = $folder;
		// After all that others do at the end of a request, whenever they said so.
		register_shutdown_function( fn() => register_shutdown_function( array( $this, 'release_all' ) ) );
	}

	/** 1 when it is ours, 0 when others had it for all of this time. A negative time is as long as it takes. */
	public function get( $name, $seconds ): ?int {
		$key = $this->key( $name );
		if ( null === $key ) {
			return null;
		}
		if ( isset( $this->held[ $key ] ) ) {
			++$this->held[ $key ]['count'];
			return 1;
		}
		$end = microtime( true ) + (float) $seconds;
		for ( ;; ) {
			$file = $this->take( $key );
			if ( $file ) {
				$this->held[ $key ] = array( 'file' => $file, 'count' => 1 );
				return 1;
			}
			if ( $seconds >= 0 && microtime( true ) >= $end ) {
				return 0;
			}
			usleep( self::LOOK_AGAIN_US );
		}
	}

	/** 1 when it was ours, 0 when it is somebody else's, null when it is nobody's. */
	public function release( $name ): ?int {
		$key = $this->key( $name );
		if ( null === $key || ! isset( $this->held[ $key ] ) ) {
			return null === $key || $this->is_free( $name ) ? null : 0;
		}
		if ( 0 === --$this->held[ $key ]['count'] ) {
			$this->drop( $key );
		}
		return 1;
	}

	public function is_free( $name ): ?int {
		$key = $this->key( $name );
		if ( null === $key || isset( $this->held[ $key ] ) ) {
			return null === $key ? null : 0;
		}
		if ( ! file_exists( $this->path( $key ) ) ) {
			return 1;
		}
		$file = $this->take( $key );
		if ( ! $file ) {
			return 0;
		}
		$this->held[ $key ] = array( 'file' => $file, 'count' => 1 );
		$this->drop( $key );
		return 1;
	}

	public function release_all(): int {
		$count = array_sum( array_column( $this->held, 'count' ) );
		foreach ( array_keys( $this->held ) as $key ) {
			$this->drop( $key );
		}
		return $count;
	}

	/** The names of locks are without case. */
	private function key( $name ): ?string {
		$name = (string) $name;
		return '' === $name || mb_strlen( $name ) > self::LONGEST_NAME ? null : hash( 'sha256', mb_strtolower( $name ) );
	}

	private function path( string $key ): string {
		return "$this->folder/.lock-$key";
	}

	/** @return resource|null The file, locked, and still the one that others find. */
	private function take( string $key ) {
		$path = $this->path( $key );
		$file = fopen( $path, 'c' );
		if ( ! $file || ! flock( $file, LOCK_EX | LOCK_NB ) ) {
			$file && fclose( $file );
			return null;
		}
		clearstatcache( true, $path );
		$is_there = @stat( $path );
		if ( $is_there && fstat( $file )['ino'] === $is_there['ino'] ) {
			return $file;
		}
		fclose( $file );
		return null;
	}

	private function drop( string $key ): void {
		@unlink( $this->path( $key ) );
		flock( $this->held[ $key ]['file'], LOCK_UN );
		fclose( $this->held[ $key ]['file'] );
		unset( $this->held[ $key ] );
	}
}
