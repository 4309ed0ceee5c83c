import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';
import { firstFiles } from './first-files.vite.ts';

const apiUrl = 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), firstFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Everything under /assets carries a hash in its name, so the server may call it immutable.
    assetsDir: 'assets',
    manifest: true,
    // No data: URLs, so that the CSP needs none.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    // What every page needs is in few files, which change at different times: a browser keeps the packages from one release to the
    // next. What some pages need comes with the first of them. `web/bundle.test.ts` holds how much a page may load.
    rolldownOptions: {
      // The dashboard, a terminal in a page of its own, and what is around each page of the docs.
      input: ['index.html', 'terminal.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        codeSplitting: {
          groups: [
            { name: 'packages', test: /node_modules\/(preact|react|react-dom|@tanstack)\//, priority: 3 },
            // Hundreds of bytes each: as files of their own a page would ask for thirty of them.
            { name: 'icons', test: /node_modules\/lucide-react\//, priority: 3 },
            {
              name: 'shared',
              test: /web\/src\/(api|ui|layout)\/|sdk\/|node_modules\//,
              minShareCount: 20,
              priority: 2,
            },
            // Each is small, and as a file of its own costs a request: a site's page would ask for thirty.
            { name: 'often', test: /web\/src\/(api|ui|layout|usage)\//, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    // The API refuses cookie-authenticated writes from any origin but its own.
    proxy: { '/f': { target: apiUrl, changeOrigin: true, headers: { origin: apiUrl } } },
  },
});
