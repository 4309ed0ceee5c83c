import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The command line in few files without dependencies: what a command needs is loaded with it, and the start stays short (docs/decisions/0040). */
export default defineConfig({
  root: import.meta.dirname,
  ssr: { noExternal: true },
  build: {
    ssr: join(import.meta.dirname, 'src/main.ts'),
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
  },
});
