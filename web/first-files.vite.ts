import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** The pages that somebody comes to first; of every other one it is the frame alone. */
const FRAME = 'src/layout/app-layout.tsx';
const PAGES = {
  home: [FRAME, 'src/routes/home/home.tsx'],
  site: [FRAME, 'src/routes/site/site.tsx', 'src/routes/site/site-overview.tsx'],
  other: [FRAME],
};

/**
 * Tells the server which files the frame and the first pages are made of, so that it can name them in the page (src/core/http/front-end.ts). Left to
 * itself the browser would learn of each when the file before has run.
 */
export function firstFiles(): Plugin {
  return {
    name: 'first-files',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
      const main = chunks.find((chunk) => chunk.isEntry && chunk.facadeModuleId?.endsWith('/index.html'));
      const known = closureOf(chunks, main?.fileName);
      const files = Object.entries(PAGES).map(([page, modules]) => {
        const of = modules.flatMap((module) => [...closureOf(chunks, chunkOf(chunks, module).fileName)]);
        return [page, [...new Set(of)].filter((file) => !known.has(file)).map((file) => `/${file}`)];
      });
      const source = JSON.stringify(Object.fromEntries(files));
      this.emitFile({ type: 'asset', fileName: 'first-files.json', source });
    },
  };
}

type Chunk = Rolldown.OutputChunk;

function chunkOf(chunks: readonly Chunk[], module: string): Chunk {
  const id = join(import.meta.dirname, module);
  const found = chunks.find((chunk) => chunk.facadeModuleId === id);
  if (!found) throw new Error(`${module} is no page any more; see web/first-files.vite.ts`);
  return found;
}

/** What has to be there before a file runs, and itself. */
function closureOf(chunks: readonly Chunk[], file: string | undefined, found = new Set<string>()): Set<string> {
  if (file === undefined || found.has(file)) return found;
  found.add(file);
  for (const each of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) closureOf(chunks, each, found);
  return found;
}
