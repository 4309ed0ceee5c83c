import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { createSite, wp } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

describe('wp-cli with the packages that a command needs', () => {
  let runtime: Runtime;
  let site: SiteSpec;
  let close = async () => {};
  before(async () => {
    ({ runtime, close } = await openTestRuntime());
    site = await createSite(runtime, 'packages.localhost');
  });
  after(() => close());

  const run = (...args: string[]) => runtime.exec(site, wp(...args));

  it('knows which words each package of wp-cli has', async () => {
    const code = `
      $found = array();
      foreach ( include 'phar://wp-cli.phar/vendor/composer/autoload_files.php' as $file ) {
        if ( ! str_ends_with( $file, '-command.php' ) ) continue;
        preg_match_all( "/add_command\\(\\s*'([\\w-]+)|after_add_command:([\\w-]+)/", file_get_contents( $file ), $words );
        $words = array_unique( array_filter( array_merge( $words[1], $words[2] ) ) );
        sort( $words );
        $found[ basename( $file, '.php' ) ] = $words;
      }
      ksort( $found );
      echo json_encode( array( $found, Siteyard_Packages::WORDS ) );`;
    const { stdout, stderr } = await run('eval', code);
    assert.equal(stderr, '');
    const [found, known] = JSON.parse(stdout) as Record<string, string[]>[];
    assert.deepEqual(known, { ...found, siteyard: ['siteyard-software'] });
  });

  it('loads the others when a command asks for one of theirs', async () => {
    const asks = 'WP_CLI::add_hook("after_wp_load", fn() => WP_CLI::runcommand("cache type", ["launch" => false]));';
    const { stdout, stderr } = await run(`--exec=${asks}`, 'option', 'get', 'home');
    assert.equal(stderr, '');
    assert.equal(stdout, 'Default\nhttp://packages.localhost:8080\n');
  });

  it('shows its help, and names every command there', async () => {
    const { stdout, exitCode } = await run('help');
    assert.equal(exitCode, 0);
    for (const word of ['cache', 'core', 'option', 'widget']) assert.match(stdout, new RegExp(`^  ${word} `, 'm'));
  });
});
