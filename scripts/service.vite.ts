import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/**
 * The service in a few files instead of two thousand: finding and linking those is most of what a start does, and their bookkeeping a fifth of
 * what an idle service holds (docs/decisions/0025). What it starts beside itself is made by programs.vite.ts.
 */
const root = join(import.meta.dirname, '..');

/** The code asks where it is to find what lies beside it, and goes on to find it there. */
export const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { id: { include: '**/src/**/*.ts', exclude: '**/node_modules/**' }, code: 'import.meta' },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

export default defineConfig({
  root,
  plugins: [keepPlaces],
  define: { 'process.env.SITEYARD_PROGRAMS': JSON.stringify(join(root, 'dist/programs')) },
  ssr: {
    noExternal: true,
    // They bring native builds, or files that they look for beside themselves.
    external: ['@lydell/node-pty', '@node-rs/argon2', '@php-wasm/node', 'ssh2'],
  },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    chunkSizeWarningLimit: 10_000,
  },
});
