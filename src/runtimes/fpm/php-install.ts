import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A PHP of this machine. */
export interface PhpInstall {
  version: string;
  /** To the last number. */
  release: string;
  fpm: string;
  cli: string;
  /** Where its extensions are. */
  extensions: string;
}

const FPM_FOLDER = '/usr/sbin';
const FPM_NAME = /^php-fpm(\d+\.\d+)$/;
/** Without these WordPress or the platform's own part of it does not work, each with Debian's package. */
const NEEDED: Record<string, string> = {
  pdo_sqlite: 'sqlite3',
  curl: 'curl',
  gd: 'gd',
  mbstring: 'mbstring',
  dom: 'xml',
  zip: 'zip',
  intl: 'intl',
  mysqli: 'mysql',
};
const PROGRAMS = ['/usr/bin/perl', '/usr/sbin/ip'];
const OTHER_PLACES = ['/sbin/ip', '/usr/bin/ip', '/bin/ip'];

const PACKAGES = `php-fpm php-cli ${[...new Set(Object.values(NEEDED))].map((name) => `php-${name}`).join(' ')} iproute2 perl-base`;

/** What an operator has to do before sites can run. */
export class MachineLacksError extends Error {
  constructor(message: string) {
    super(`${message} Without that, RUNTIME=php-wasm runs sites with nothing but Node.`);
    this.name = 'MachineLacksError';
  }
}

const phpMissing = (what: string) =>
  new MachineLacksError(`RUNTIME=fpm needs PHP-FPM on this machine: ${what}. On Debian: apt-get install ${PACKAGES}.`);

/** Every PHP that can run sites, the newest first; MachineLacksError where there is none. */
export async function findPhp(): Promise<[PhpInstall, ...PhpInstall[]]> {
  const versions = existsSync(FPM_FOLDER)
    ? readdirSync(FPM_FOLDER).flatMap((name) => FPM_NAME.exec(name)?.[1] ?? [])
    : [];
  if (versions.length === 0) throw phpMissing(`there is no ${FPM_FOLDER}/php-fpm*`);
  if (!existsSync(PROGRAMS[0] as string)) throw phpMissing('there is no perl');
  if (![PROGRAMS[1] as string, ...OTHER_PLACES].some((path) => existsSync(path))) throw phpMissing('there is no ip');
  const looked = await Promise.all(versions.map(lookAt));
  const usable = looked.flatMap((each) => ('fpm' in each ? [each] : []));
  const [first, ...others] = usable.sort((a, b) => compare(b.version, a.version));
  if (!first) throw phpMissing(looked.map((each) => ('missing' in each ? each.missing : '')).join('; '));
  return [first, ...others];
}

async function lookAt(version: string): Promise<PhpInstall | { missing: string }> {
  const [fpm, cli] = [join(FPM_FOLDER, `php-fpm${version}`), `/usr/bin/php${version}`];
  if (!existsSync(cli)) return { missing: `PHP ${version} has no command line (php-cli)` };
  const { stdout } = await promisify(execFile)(cli, ['-n', '-r', 'echo ini_get("extension_dir"), " ", PHP_VERSION;']);
  const [extensions = '', release = ''] = stdout.split(' ');
  const missing = Object.keys(NEEDED).filter((name) => !existsSync(join(extensions, `${name}.so`)));
  if (missing.length > 0) return { missing: `PHP ${version} has no ${missing.join(', ')}` };
  return { version, release, fpm, cli, extensions };
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
