<?php
/**
 * What a site runs, told and changed for the platform by WordPress' own means. License: GPL-2.0-or-later
 */

/**
 * One process does all of a change and tells afterwards what there is: `wp siteyard-software <mark> <changes>`. The answer is the line that begins with the
 * mark, since plugins print what they like. Each change is told with why it failed, and the next one is made all the same.
 */
final class Siteyard_Software {
	const MOST = 500;
	/** Tests of Site Health that need nobody else, and say something that the owner can mend. */
	const HEALTH = array( 'plugin_version', 'theme_version', 'php_extensions', 'autoloaded_options', 'debug_enabled', 'search_engine_visibility', 'php_default_timezone', 'http_requests' );

	private $unreached = null;

	public function __invoke( $args ): void {
		list( $mark, $text ) = array( $args[0] ?? '', $args[1] ?? '[]' );
		foreach ( array( 'plugin', 'theme', 'plugin-install', 'theme-install', 'update', 'file', 'misc', 'upgrade', 'class-wp-upgrader' ) as $file ) {
			require_once ABSPATH . "wp-admin/includes/$file.php";
		}
		wp_set_current_user( $this->administrator() );
		add_action( 'http_api_debug', array( $this, 'heard' ), 10, 5 );
		// What is offered has to be known before it can be fetched.
		$this->ask_for_updates();
		$results = array();
		foreach ( (array) json_decode( $text, true ) as $change ) {
			$error     = $this->make( $change );
			$results[] = array( 'error' => is_wp_error( $error ) ? $this->plain( $error->get_error_message() ) : null );
		}
		if ( $results ) {
			wp_clean_plugins_cache( false );
			wp_clean_themes_cache( false );
			$this->ask_for_updates();
		}
		WP_CLI::line( "\n" . $mark . wp_json_encode( array( 'results' => $results ) + $this->found(), JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR ) );
	}

	/** Those who bring plugins of their own update server look at who asks. */
	private function administrator(): int {
		$ids = get_users( array( 'role' => 'administrator', 'fields' => 'ID', 'number' => 1, 'orderby' => 'ID' ) );
		return (int) ( $ids[0] ?? 0 );
	}

	public function heard( $response, $_context, $_class, $_args, $url ): void {
		if ( str_contains( $url, '/update-check/' ) ) {
			$this->unreached = is_wp_error( $response ) ? $this->plain( $response->get_error_message() ) : null;
		}
	}

	/** Whatever was known stays where nobody answers. */
	private function ask_for_updates(): void {
		foreach ( array( 'update_plugins' => 'wp_update_plugins', 'update_themes' => 'wp_update_themes' ) as $name => $ask ) {
			$known = get_site_transient( $name );
			if ( is_object( $known ) ) {
				$known->last_checked = 0;
				set_site_transient( $name, $known );
			}
			$ask();
		}
	}

	private function found(): array {
		global $wp_version;
		return array(
			'core'      => $wp_version,
			'php'       => PHP_VERSION,
			'items'     => array_slice( array_merge( $this->plugins(), $this->themes() ), 0, self::MOST ),
			'health'    => $this->health(),
			'unreached' => $this->unreached,
		);
	}

	private function plugins(): array {
		$offers = get_site_transient( 'update_plugins' )->response ?? array();
		$list   = array();
		foreach ( get_plugins() as $file => $about ) {
			$offer  = (object) ( $offers[ $file ] ?? array() );
			$list[] = array(
				'kind'    => 'plugin',
				'name'    => self::name_of( $file ),
				'title'   => $about['Name'],
				'version' => $about['Version'],
				'state'   => is_plugin_active( $file ) ? 'active' : 'inactive',
				'update'  => $offer->new_version ?? null,
			);
		}
		foreach ( get_mu_plugins() as $file => $about ) {
			$list[] = array( 'kind' => 'plugin', 'name' => self::name_of( $file ), 'title' => $about['Name'], 'version' => $about['Version'], 'state' => 'must_use', 'update' => null );
		}
		return $list;
	}

	private function themes(): array {
		$offers = get_site_transient( 'update_themes' )->response ?? array();
		$list   = array();
		foreach ( wp_get_themes() as $name => $theme ) {
			$state  = get_template() === $name ? 'parent' : 'inactive';
			$list[] = array(
				'kind'    => 'theme',
				'name'    => $name,
				'title'   => $theme->get( 'Name' ),
				'version' => $theme->get( 'Version' ),
				'state'   => get_stylesheet() === $name ? 'active' : $state,
				'update'  => $offers[ $name ]['new_version'] ?? null,
			);
		}
		return $list;
	}

	private static function name_of( string $file ): string {
		return str_contains( $file, '/' ) ? dirname( $file ) : basename( $file, '.php' );
	}

	private static function file_of( string $name ): ?string {
		foreach ( array_keys( get_plugins() ) as $file ) {
			if ( self::name_of( $file ) === $name ) {
				return $file;
			}
		}
		return null;
	}

	/** True, or a WP_Error. */
	private function make( array $change ) {
		list( 'kind' => $kind, 'action' => $action, 'name' => $name ) = $change + array( 'name' => '' );
		if ( 'core' === $kind ) {
			wp_upgrade();
			return true;
		}
		if ( 'php' === $kind ) {
			return true;
		}
		if ( 'install' === $action ) {
			return $this->install( $kind, $name, ! empty( $change['activate'] ) );
		}
		return 'theme' === $kind ? $this->make_with_theme( $action, $name ) : $this->make_with_plugin( $action, $name );
	}

	private function make_with_plugin( string $action, string $name ) {
		$file = self::file_of( $name );
		if ( null === $file ) {
			return new WP_Error( 'missing', 'There is no such plugin.' );
		}
		switch ( $action ) {
			case 'activate':
				return activate_plugin( $file ) ?? true;
			case 'deactivate':
				deactivate_plugins( $file );
				return true;
			case 'delete':
				deactivate_plugins( $file );
				return $this->outcome( delete_plugins( array( $file ) ) );
			default:
				$upgrader = new Plugin_Upgrader( new Automatic_Upgrader_Skin() );
				return $this->outcome( $upgrader->bulk_upgrade( array( $file ) )[ $file ] ?? false, $upgrader );
		}
	}

	private function make_with_theme( string $action, string $name ) {
		if ( ! wp_get_theme( $name )->exists() ) {
			return new WP_Error( 'missing', 'There is no such theme.' );
		}
		switch ( $action ) {
			case 'activate':
				switch_theme( $name );
				return true;
			case 'delete':
				return $this->outcome( delete_theme( $name ) );
			default:
				$upgrader = new Theme_Upgrader( new Automatic_Upgrader_Skin() );
				return $this->outcome( $upgrader->bulk_upgrade( array( $name ) )[ $name ] ?? false, $upgrader );
		}
	}

	private function install( string $kind, string $name, bool $activates ) {
		$wanted = array( 'slug' => $name, 'fields' => array( 'sections' => false ) );
		$about  = 'theme' === $kind ? themes_api( 'theme_information', $wanted ) : plugins_api( 'plugin_information', $wanted );
		if ( is_wp_error( $about ) ) {
			return $about;
		}
		$skin      = new Automatic_Upgrader_Skin();
		$upgrader  = 'theme' === $kind ? new Theme_Upgrader( $skin ) : new Plugin_Upgrader( $skin );
		$installed = $this->outcome( $upgrader->install( $about->download_link ?? '' ), $upgrader );
		if ( is_wp_error( $installed ) || ! $activates ) {
			return $installed;
		}
		wp_clean_plugins_cache( false );
		wp_clean_themes_cache( false );
		return 'theme' === $kind ? $this->make_with_theme( 'activate', $name ) : $this->make_with_plugin( 'activate', $name );
	}

	/** The upgrader answers with nothing, or with false, where it has said why in its log. */
	private function outcome( $result, ?WP_Upgrader $upgrader = null ) {
		if ( $result ) {
			return $result;
		}
		$told = $upgrader ? array_filter( $upgrader->skin->get_upgrade_messages() ) : array();
		return new WP_Error( 'failed', $told ? end( $told ) : 'WordPress could not do it.' );
	}

	private function health(): array {
		require_once ABSPATH . 'wp-admin/includes/class-wp-site-health.php';
		$list = array();
		foreach ( self::HEALTH as $name ) {
			try {
				$test = array( WP_Site_Health::get_instance(), "get_test_$name" );
				$told = is_callable( $test ) ? $test() : array( 'status' => 'good' );
				if ( 'good' !== $told['status'] ) {
					$list[] = array( 'level' => $told['status'], 'title' => $this->plain( $told['label'] ), 'text' => $this->plain( $told['description'] ) );
				}
			} catch ( Throwable $error ) {
				continue;
			}
		}
		return $list;
	}

	/** What a reader of the page would read: paragraphs apart, and characters for what stands for them. */
	private function plain( string $html ): string {
		$text = wp_strip_all_tags( preg_replace( '#</(?:p|li|h\d)>|<br#i', ' $0', $html ) );
		return trim( preg_replace( '/\s+/', ' ', html_entity_decode( $text, ENT_QUOTES | ENT_HTML5, 'UTF-8' ) ) );
	}
}
