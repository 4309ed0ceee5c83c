import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 86_400_000;

/**
 * Bundles the programs that the service starts beside itself and returns their folder. Each state of the sources has a folder of its own, so a
 * run uses what its author just wrote, a second run finds it ready, and two runs at once do not disturb each other.
 */
export async function buildPrograms(root: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache/test-programs');
  const folder = join(cache, hashSources(root));
  if (existsSync(join(folder, '.complete'))) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const [{ build }, { programsConfig }] = await Promise.all([import('vite'), import('../../scripts/programs.vite.ts')]);
  await build({ ...programsConfig(folder), configFile: false, logLevel: 'warn' });
  writeFileSync(join(folder, '.complete'), '');
  for (const old of readdirSync(cache))
    if (statSync(join(cache, old)).mtimeMs < Date.now() - DAY_MS)
      rmSync(join(cache, old), { recursive: true, force: true });
  return folder;
}

function hashSources(root: string): string {
  const hash = createHash('sha256');
  for (const file of globSync(['src/**/*', 'scripts/*.vite.ts', 'package-lock.json'], { cwd: root }).sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
