import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { readBuildStamp } from '../src/core/build-stamp.ts';

/**
 * The service in a few files instead of two thousand: finding and linking those is most of what a start does, and their bookkeeping a fifth of
 * what an idle service holds (docs/decisions/0025). What it starts beside itself is made by programs.vite.ts.
 */
const root = join(import.meta.dirname, '..');

/**
 * The code finds the files beside it by `import.meta`, and keeps finding them in the sources. The built files hold the way there from where they
 * lie themselves, so a checkout can be moved or copied after it was built.
 */
export const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { id: { include: '**/src/**/*.ts', exclude: '**/node_modules/**' }, code: 'import.meta' },
    handler: (code, id) =>
      code
        .replaceAll(
          'import.meta.dirname',
          `/* @__PURE__ */ __sourceFolder(${JSON.stringify(relative(root, dirname(id)))})`,
        )
        .replaceAll('import.meta.url', `/* @__PURE__ */ __sourceUrl(${JSON.stringify(relative(root, id))})`),
  },
  renderChunk(code, { fileName }, { dir = '' }) {
    const up = relative(dirname(resolve(root, dir, fileName)), root);
    return code
      .replaceAll(
        /(?:\/\* @__PURE__ \*\/ )?__sourceFolder\("([^"]+)"\)/g,
        (_all, folder: string) =>
          `process.getBuiltinModule("node:path").join(import.meta.dirname, ${JSON.stringify(`${up}/${folder}`)})`,
      )
      .replaceAll(
        /(?:\/\* @__PURE__ \*\/ )?__sourceUrl\("([^"]+)"\)/g,
        (_all, file: string) => `new URL(${JSON.stringify(`${up}/${file}`)}, import.meta.url).href`,
      );
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
  define: {
    'process.env.SITEYARD_PROGRAMS': JSON.stringify('dist/programs'),
    'process.env.SITEYARD_BUILD': JSON.stringify(readBuildStamp(root)),
  },
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
