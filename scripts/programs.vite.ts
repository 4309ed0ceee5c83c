import { join, relative } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';
import { keepPlaces } from './service.vite.ts';

/** What the service starts beside itself, each in one file of JavaScript (src/core/program.ts). */
const PHP = 'runtimes/php-wasm/worker/main';
const PROGRAMS = [
  'core/starter/starter-program',
  'platform/watchdog/watchdog-thread',
  PHP,
  'runtimes/folders/database-program',
  'runtimes/folders/import-program',
  'runtimes/shell/limited-program',
  'runtimes/wordpress/bcrypt-thread',
  'timemachine/process/program',
  'timemachine/restore/write-worker',
];

const root = join(import.meta.dirname, '..');

export const programsConfig = (outDir: string): UserConfig => ({
  root,
  plugins: [keepPlaces],
  // Programs start programs.
  define: { 'process.env.SITEYARD_PROGRAMS': JSON.stringify(relative(root, outDir)) },
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(PROGRAMS.map((name) => [name, join(root, 'src', `${name}.ts`)])),
      output: {
        // Whoever may read nothing but its program needs no package.json to know what that is.
        entryFileNames: '[name].mjs',
        chunkFileNames: 'shared/[name]-[hash].mjs',
        // PHP's is under a licence of its own (LICENSE beside its sources) and shares no file with the others.
        banner: ({ name }) => (name === PHP ? '// SPDX-License-Identifier: GPL-2.0-or-later' : ''),
      },
    },
  },
});

export default defineConfig(programsConfig(join(root, 'dist/programs')));
