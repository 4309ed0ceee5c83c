import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Commander can start other programs; ours never do by it, and loading what that takes is a tenth of a start. */
const startsNoPrograms: Plugin = {
  name: 'starts-no-programs',
  transform: {
    filter: { id: /commander\/lib\/command\.js$/ },
    handler: (code) => code.replace("require('node:child_process')", '{}'),
  },
};

const CORE = /\/sdk\/[\w.-]+\.ts$|\/cli\/src\/(?!main|exit|terminal|complete)[\w-]+\.ts$|\/commands\/shared\.ts$/;

/** The command line in few files without dependencies: what a command needs is loaded with it, and the start stays short (docs/decisions/0040). */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [startsNoPrograms],
  ssr: { noExternal: true },
  build: {
    ssr: join(import.meta.dirname, 'src/main.ts'),
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        // What every command needs is one file: finding another takes as long as reading it.
        codeSplitting: { groups: [{ name: 'core', test: CORE }] },
      },
    },
  },
});
