import type { FileRoot, HostedSpec } from '#host/site-host.ts';
import { isUnder } from '../path-prefix.ts';
import { decodePath } from '../target.ts';
import { CONTENT_TYPES } from './content-types.ts';

/** A path that names a file with a known extension. */
export interface StaticPath {
  /** Decoded, below the document root, with a slash in front. */
  path: string;
  contentType: string;
}

const CONTENT_PREFIX = '/wp-content';

/**
 * What a path is: a file that may come from disk, a matter for PHP, or nothing that anybody may ask for. The last is
 * decided for whatever way of writing it: hidden files (except what /.well-known/ is for) and the database's folder.
 */
export function readPath(rawPath: string): StaticPath | 'denied' | 'dynamic' {
  const path = decodePath(rawPath);
  // Not UTF-8: no file of ours has such a name.
  if (path === undefined) return 'dynamic';
  if (path.includes('/.') && !isWellKnown(path)) return 'denied';
  const hasEmptySegment = path.includes('//');
  if (isUnder(hasEmptySegment ? path.replaceAll(/\/{2,}/g, '/') : path, `${CONTENT_PREFIX}/database`)) return 'denied';
  const contentType = CONTENT_TYPES.get(extensionOf(path));
  if (contentType === undefined || path.startsWith('/.')) return 'dynamic';
  return hasEmptySegment ? 'denied' : { path, contentType };
}

function isWellKnown(path: string): boolean {
  return path.startsWith('/.well-known/') && !path.includes('/.', 1);
}

function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.');
  if (dot < 0 || path.indexOf('/', dot) >= 0) return '';
  return path.slice(dot + 1).toLowerCase();
}

const FOLDERS = ['/wp-admin', '/wp-includes', CONTENT_PREFIX];

/**
 * The path of a folder that lacks its slash, with one, as far as the name tells; undefined for what can be none. Only
 * below these is anything on disk, so that nearly all pages are told by their first letters. A doubled slash goes: in front, the
 * browser would take what follows for a host.
 */
export function folderPath(rawPath: string): { path: string; location: string } | undefined {
  if (!rawPath.startsWith('/wp-') && !rawPath.startsWith('//') && !rawPath.includes('%')) return undefined;
  const merged = rawPath.replaceAll(/\/{2,}/g, '/');
  // An escaped slash is part of a name, and no folder has it in its name.
  if (merged.endsWith('/') || /%2f/i.test(merged)) return undefined;
  const path = decodePath(merged);
  if (path === undefined || !FOLDERS.some((folder) => isUnder(path, folder))) return undefined;
  return path.endsWith('.php') ? undefined : { path, location: `${merged}/` };
}

/** The places where the file may be, in the order of looking. */
export function placesOf(path: string, site: HostedSpec): readonly Place[] {
  if (!isUnder(path, CONTENT_PREFIX)) return [coreOf(site, path)];
  const { host, driver, id } = site;
  const root = { host, driver, root: { siteId: id } };
  const below = path.slice(CONTENT_PREFIX.length);
  const own = { root, path: below, name: `${host} ${driver} ${id} ${below}`, owner: id };
  // Themes that come with WordPress are shared by all sites.
  return isUnder(path, `${CONTENT_PREFIX}/themes`) ? [own, coreOf(site, path)] : [own];
}

function coreOf({ host, driver, coreVersion }: HostedSpec, path: string): Place {
  const root = { host, driver, root: { coreVersion } };
  return { root, path, name: `${host} ${driver} ${coreVersion} ${path}`, owner: coreVersion };
}

export interface Place {
  root: FileRoot;
  /** Below the root, with a slash in front. */
  path: string;
  /** No two places have the same one. */
  name: string;
  /** The site, or the version of WordPress, whose memory it takes. */
  owner: string;
}

/** Below these WordPress makes nothing by itself, so that a missing file is just missing. */
export function isCoreOnly(path: string): boolean {
  return isUnder(path, '/wp-includes') || isUnder(path, '/wp-admin');
}
