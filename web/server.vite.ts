import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The dashboard for the pages of it that the service draws (docs/decisions/0074). */
export default defineConfig({
  root: import.meta.dirname,
  ssr: { noExternal: true },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    ssr: 'src/server.tsx',
    outDir: join(import.meta.dirname, '../dist/dashboard'),
    emptyOutDir: true,
    copyPublicDir: false,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      // "use client" means nothing here.
      checks: { moduleLevelDirective: false },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
});
