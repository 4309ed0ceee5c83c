import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Which source files a file reaches through its imports, through programs that it starts by path, and through what the service and the
 * dashboard are built from. It is read from the text of the sources in a fraction of a second and may name a file too many, never one too few.
 */
const FOLDERS = ['src', 'test', 'testkit', 'web', 'sdk', 'cli', 'bench', 'scripts'];
const SOURCE = /\.(?:ts|tsx|mjs|cjs)$/;
const SPECIFIER = /'([.#][^'\n]*?\.(?:ts|tsx|mjs|cjs|css|json))'/g;

/** Files that use a build without importing its sources. */
const BUILT_FROM: Record<string, string[]> = {
  'testkit/app/service-process.ts': ['src/main.ts', 'testkit/app/service.ts', 'web/src/main.tsx', 'web/src/server.tsx'],
  'testkit/browser/browser.ts': [
    'web/src/main.tsx',
    'web/src/server.tsx',
    'web/src/docs/main.ts',
    'web/src/terminal/main.tsx',
  ],
  'cli/cli.test.ts': ['cli/src/main.ts'],
};

export class ImportGraph {
  readonly #imports = new Map<string, string[]>();
  readonly #aliases: [prefix: string, target: string][];

  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      imports: Record<string, string>;
    };
    this.#aliases = Object.entries(imports).map(([alias, target]) => [
      alias.replace(/\*$/, ''),
      target.replace(/^\.\/|\*$/g, ''),
    ]);
    const exclude = ['**/node_modules/**', '**/dist/**'];
    for (const file of globSync(
      FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mjs,cjs}`),
      { cwd: root, exclude },
    ))
      this.#imports.set(file, this.#readImports(file));
  }

  /** The file itself and all files that it reaches. */
  reach(file: string): Set<string> {
    const reached = new Set<string>();
    const open = [file];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(...(this.#imports.get(next) ?? []));
    }
    return reached;
  }

  /** The sources that stand for a changed file: itself, or those nearest to it if nothing imports it (PHP, SQL, templates). */
  standIns(changed: string): string[] {
    if (SOURCE.test(changed)) return [changed];
    for (let folder = dirname(changed); folder !== '.'; folder = dirname(folder)) {
      const nearest = [...this.#imports.keys()].filter(
        (file) => dirname(file) === folder && !file.endsWith('.test.ts'),
      );
      if (nearest.length > 0) return nearest;
    }
    return [];
  }

  #readImports(file: string): string[] {
    const text = readFileSync(join(this.#root, file), 'utf8');
    const found = Array.from(text.matchAll(SPECIFIER), ([, specifier]) => this.#resolve(file, specifier as string));
    return [...found.filter((each) => each !== undefined), ...(BUILT_FROM[file] ?? [])];
  }

  #resolve(from: string, specifier: string): string | undefined {
    if (specifier.startsWith('.')) {
      const path = join(dirname(from), specifier);
      return existsSync(join(this.#root, path)) ? relative(this.#root, join(this.#root, path)) : undefined;
    }
    for (const [prefix, target] of this.#aliases)
      if (prefix.endsWith('/') ? specifier.startsWith(prefix) : specifier === prefix)
        return target + specifier.slice(prefix.length);
    return undefined;
  }
}
