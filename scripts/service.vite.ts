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

/**
 * One letter beyond Latin-1 anywhere in a file, and V8 keeps the whole of it with two bytes for each letter. Written as escapes they mean the
 * same in every string and pattern.
 */
const narrowLetters: Plugin = {
  name: 'narrow-letters',
  // The last that is done to them: whoever prints the code once more would write the letters themselves.
  generateBundle(_options, bundle) {
    const narrow = (_all: string, slashes: string, letter: string) =>
      // A backslash that stands before the letter itself says nothing.
      `${slashes.slice(slashes.length % 2)}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = chunk.code.replaceAll(/(\\*)([\u0100-\uffff])/g, narrow);
  },
};

export default defineConfig({
  root,
  plugins: [keepPlaces, narrowLetters],
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
