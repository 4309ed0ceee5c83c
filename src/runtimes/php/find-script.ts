/** The file to run, as a path below WordPress: the one that is named, the index of a folder, or WordPress' front door. */
export function findScript(url: string, isFile: (path: string) => boolean): { path: string; pathInfo: string } {
  const path = decode(url.split('?', 1)[0] ?? '/');
  const [, named = '', rest = ''] = /^(.*?\.php)(\/.*)?$/s.exec(path) ?? [];
  const candidate = named || (path.endsWith('/') ? `${path}index.php` : `${path}/index.php`);
  if (isInside(candidate) && !isInstaller(candidate) && isFile(candidate))
    return { path: candidate, pathInfo: named ? rest : '' };
  return { path: '/index.php', pathInfo: '' };
}

function isInside(path: string): boolean {
  return !path.includes('\0') && !path.split('/').some((part) => part.startsWith('.'));
}

/** Nobody installs a WordPress over the web here, so these are not there, whatever the database looks like. */
function isInstaller(path: string): boolean {
  return /^\/+wp-admin\/+(install|setup-config)\.php$/.test(path);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '/';
  }
}
