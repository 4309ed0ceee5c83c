<?php
/**
 * Plugin Name: Siteyard
 * Description: Connects this site with the platform that hosts it. Loaded by the platform, always on.
 * License: GPL-2.0-or-later
 *
 * The platform defines, before this file is loaded: SITEYARD_KEY (this site's own secret), SITEYARD_OUTBOX (a folder
 * that the platform reads), SITEYARD_PURGE_MARK (a file that tells of changed pages), SITEYARD_THEMES (the themes that come with WordPress, shared by all sites),
 * SITEYARD_IS_COPY (true on staging sites and previews) and SITEYARD_IS_OFFLINE (true on previews).
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/access.php';
require_once __DIR__ . '/caching.php';
require_once __DIR__ . '/changes.php';
require_once __DIR__ . '/database.php';
require_once __DIR__ . '/mail.php';
require_once __DIR__ . '/status.php';
require_once __DIR__ . '/themes.php';
require_once __DIR__ . '/updates.php';

if ( SITEYARD_IS_COPY ) {
	require_once __DIR__ . '/copy.php';
}
if ( SITEYARD_IS_OFFLINE ) {
	require_once __DIR__ . '/offline.php';
}
if ( ! empty( $_SERVER['HTTP_X_SITEYARD_UPLOADS_REFUSED'] ) ) {
	require_once __DIR__ . '/uploads.php';
}

/** Writes a file into the outbox so that the platform never sees half of it. */
function siteyard_leave( string $name, string $text ): bool {
	$draft = SITEYARD_OUTBOX . '/.' . $name . '.' . bin2hex( random_bytes( 4 ) );
	return false !== file_put_contents( $draft, $text ) && rename( $draft, SITEYARD_OUTBOX . '/' . $name );
}
