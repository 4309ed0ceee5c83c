import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const apiUrl = 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Everything under /assets carries a hash in its name, so the server may call it immutable.
    assetsDir: 'assets',
    // No data: URLs, so that the CSP needs none.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    // Three files for the first page and one more for each further page, instead of dozens of crumbs. The packages change
    // least, so their file stays in the browser's cache from one release to the next. Plots and the comparison
    // of texts are for one page each.
    rolldownOptions: {
      // The dashboard, a terminal in a page of its own, and what is around each page of the docs.
      input: ['index.html', 'terminal.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'packages',
              test: /node_modules\/(?!uplot|marked|@xterm|@codemirror|@lezer|@marijn|crelt|style-mod|w3c-keyname)/,
              priority: 2,
            },
            { name: 'shared', test: /web\/src\/(ui|api|layout)\/|sdk\//, priority: 1 },
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
