import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from './startup-error.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Set by the build (scripts/service.vite.ts). A service that runs from its sources has none and matches them by itself. */
const BUILT_WITH = process.env.SITEYARD_BUILD;

/** Identifies the package.json and the migrations of a checkout. */
export function readBuildStamp(root: string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')));
  const migrations = join(root, 'migrations');
  for (const name of readdirSync(migrations).sort())
    hash.update(`\0${name}\0`).update(readFileSync(join(migrations, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Tells versions apart that have the same number, such as `0.1.0+3f2a…`. */
export const BUILD_VERSION = `${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}+${BUILT_WITH ?? 'sources'}`;

/** Migrations are read from the checkout: a build of another version must never apply them. */
export function rejectStaleBuild(builtWith = BUILT_WITH): void {
  if (builtWith === undefined || builtWith === readBuildStamp(ROOT)) return;
  throw new StartupError(
    'The service was built from another version than the checkout it is in, whose package.json or migrations differ. ' +
      'Nothing was changed. Build it with `node scripts/setup.mjs`, then start again.',
  );
}
