<?php
/**
 * The platform's own requests, and one-time links that sign a person in. License: GPL-2.0-or-later
 *
 * A request carries its time and a signature over method, path, body and time, made with this site's key. The edge
 * removes these headers from visitors' requests, so they can only come from the platform.
 */

defined( 'ABSPATH' ) || exit;

const SITEYARD_CLOCK_SECONDS = 60;

function siteyard_signature( string $purpose, string $text ): string {
	return hash_hmac( 'sha256', $purpose . "\n" . $text, SITEYARD_KEY );
}

/** True when this request was signed by the platform within the last minute. */
function siteyard_is_platform(): bool {
	static $answer = null;
	if ( null !== $answer ) {
		return $answer;
	}
	$signature = $_SERVER['HTTP_X_SITEYARD_SIGNATURE'] ?? '';
	$time      = $_SERVER['HTTP_X_SITEYARD_TIME'] ?? '';
	if ( '' === $signature || ! ctype_digit( $time ) || abs( time() - (int) $time ) > SITEYARD_CLOCK_SECONDS ) {
		return $answer = false;
	}
	$body = hash( 'sha256', (string) file_get_contents( 'php://input' ) );
	$text = implode( "\n", array( $_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], $body, $time ) );
	return $answer = hash_equals( siteyard_signature( 'request', $text ), $signature );
}

/** The site's first administrator, or 0. */
function siteyard_first_administrator(): int {
	$ids = get_users( array( 'role' => 'administrator', 'orderby' => 'ID', 'number' => 1, 'fields' => 'ID' ) );
	return (int) ( $ids[0] ?? 0 );
}

/** True where the platform asks as the first administrator. */
function siteyard_acts_as_administrator(): bool {
	return ! empty( $_SERVER['HTTP_X_SITEYARD_AS_ADMINISTRATOR'] ) && siteyard_is_platform();
}

// What the platform asks in the REST and XML-RPC interfaces, it asks as the first administrator.
add_filter(
	'determine_current_user',
	fn( $user_id ) => siteyard_acts_as_administrator() ? siteyard_first_administrator() : $user_id,
	100
);

// An XML-RPC call carries a name and a password of its own, and only the signature counts here. After every other check,
// so that a plugin which limits attempts has nothing to count.
add_filter(
	'authenticate',
	function ( $user ) {
		$is_call = defined( 'XMLRPC_REQUEST' ) && XMLRPC_REQUEST && siteyard_acts_as_administrator();
		$admin   = $is_call ? get_userdata( siteyard_first_administrator() ) : false;
		return $admin ? $admin : $user;
	},
	PHP_INT_MAX
);

// The platform's own questions.
add_action(
	'wp_loaded',
	function () {
		$path = (string) parse_url( $_SERVER['REQUEST_URI'] ?? '', PHP_URL_PATH );
		if ( '/.siteyard/health' !== $path || ! siteyard_is_platform() ) {
			return;
		}
		nocache_headers();
		wp_send_json( siteyard_health() );
	}
);

// A link from the dashboard: `time.nonce.signature`, good for a minute and for one use.
add_action(
	'login_init',
	function () {
		$link = $_GET['siteyard_login'] ?? null;
		if ( ! is_string( $link ) ) {
			return;
		}
		list( $time, $nonce, $signature ) = array_pad( explode( '.', $link, 3 ), 3, '' );
		$is_good = ctype_digit( $time ) && abs( time() - (int) $time ) <= SITEYARD_CLOCK_SECONDS
			&& hash_equals( siteyard_signature( 'login', "$time.$nonce" ), $signature );
		$used    = 'siteyard_login_' . md5( $nonce );
		if ( ! $is_good || get_transient( $used ) ) {
			wp_die( 'This link is used or too old. Ask for a new one on the dashboard.', 'Sign in', array( 'response' => 403 ) );
		}
		set_transient( $used, 1, 2 * SITEYARD_CLOCK_SECONDS );
		wp_set_auth_cookie( siteyard_first_administrator() );
		wp_safe_redirect( admin_url() );
		exit;
	}
);

/** True where the site's address is one of the machine that the browser runs on, so that what it sends crosses no network. */
function siteyard_is_loopback(): bool {
	$host = strtolower( (string) parse_url( WP_HOME, PHP_URL_HOST ) );
	return 1 === preg_match( '/^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/', $host );
}

// WordPress wants TLS for these, since they go over the network with every request. There they do not, and can be tried.
add_filter( 'wp_is_application_passwords_available', fn( $is_available ) => $is_available || siteyard_is_loopback() );
