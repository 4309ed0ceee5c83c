import type { KnipConfig } from 'knip';

const isProduction = process.argv.includes('--production');

/** Finds what nobody uses: `knip` with the tests counted as users, `knip --production` without them. A `!` marks what counts in the latter. */
const config: KnipConfig = {
  entry: [
    'src/main.ts!',
    'src/runtimes/php-wasm/worker/main.ts!',
    'src/core/starter/starter-program.ts!',
    'src/platform/watchdog/watchdog-thread.ts!',
    'src/runtimes/shell/limited-program.ts!',
    'src/runtimes/wordpress/bcrypt-thread.ts!',
    'src/timemachine/process/program.ts!',
    'src/timemachine/restore/write-worker.ts!',
    // Calls an operation from within (docs/architecture.md). It is there, and tested, before whoever acts in somebody's name.
    'src/core/http/invoke.ts!',
    'scripts/*.{ts,mjs}',
    'web/src/main.tsx!',
    'web/src/server.tsx!',
    'web/src/docs/main.ts!',
    'web/src/terminal/main.tsx!',
    'web/{vite.config,server.vite}.ts!',
    'cli/src/main.ts!',
    'cli/vite.config.ts!',
    // What the package has to offer; the command line uses a part of it.
    'sdk/index.ts!',
    'scripts/service.vite.ts!',
    'scripts/programs.vite.ts!',
    'testkit/app/service.ts',
    'testkit/app/service.vite.ts',
    'bench/*.ts',
    // Started inside of the network of the test cluster.
    'test/cluster/{journey,older,surroundings}.ts',
    '**/*.test.ts',
    'testkit/runner/{main,worker,reporter}.ts',
    'testkit/runner/fixtures/*.ts',
    // Programs that tests start by their path.
    'test/attacks/attacked-platform.ts',
    'test/chaos/shifted-clock.mjs',
    'test/power/{work,database-work}.ts',
    'test/tenant/prober.ts',
    'test/tools/{curl,jq}.mjs',
    'testkit/snapshots/{mariadb-restore,move,restore}-process.ts',
  ],
  project: [
    '{src,sdk,web,cli}/**/*.{ts,tsx,mjs}!',
    '!web/dashboard-user.ts!',
    '{scripts,bench,test,testkit}/**/*.{ts,tsx,mjs}',
  ],
  // What a file needs itself may be open to its tests too.
  ignoreExportsUsedInFile: isProduction,
  ignoreIssues: isProduction
    ? {
        // The merge of two changed databases is whole and tested; the staging site will use it.
        'src/timemachine/sources/sqlite-schema.ts': ['exports'],
      }
    : {},
  // The font's file is named by a style sheet.
  ignoreDependencies: ['tailwindcss', '@fontsource-variable/inter'],
  ignoreBinaries: ['apt-get', 'bwrap', 'restic', 'mkfifo', 'nsenter', 'strace', 'unshare'],
};

export default config;
