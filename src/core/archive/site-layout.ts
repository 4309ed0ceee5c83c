import { ArchiveRefused } from './archive-refused.ts';

export interface SiteLayout {
  dump: string;
  readme: string | undefined;
  plugins: string[];
  themes: string[];
  /** Where a file of the archive goes below wp-content; undefined where it is none of the content. */
  contentPath(path: string): string | undefined;
}

const CONTENT_NAMES = ['content', 'wp-content'];
const CONTENT_PARTS = ['plugins', 'themes', 'uploads', 'mu-plugins', 'languages'];
/** Left behind by computers that packed it. */
const LITTER = /(^|\/)(__MACOSX|\.DS_Store|Thumbs\.db)(\/|$)/;
/** The platform has its own database and cache, and what was kept or logged elsewhere means nothing here. */
/** Nobody has so many plugins or themes. */
const MOST_FOLDERS = 500;
const NOT_TAKEN =
  /^(db\.php|object-cache\.php|advanced-cache\.php|debug\.log|upgrade|upgrade-temp-backup|cache)(\/|$)/i;
const README = /^readme(\.md|\.txt)?$/i;

/**
 * Where the parts of a site are among the files of an archive. Ours have `content/` (or `wp-content/`) and `database.sql` at the top; those
 * of exporting tools have a wp-content at some depth and one .sql file besides.
 */
export function siteLayout(files: readonly string[]): SiteLayout {
  const paths = files.filter((path) => !LITTER.test(path));
  const content = contentFolder(paths);
  if (content === undefined) throw new ArchiveRefused(nothingFound(paths, 'content/ or wp-content/ folder'));
  const dump = dumpFile(paths, content);
  const around = content.slice(0, content.lastIndexOf('/') + 1);
  const within = (path: string) => (path.startsWith(`${content}/`) ? path.slice(content.length + 1) : undefined);
  const foldersIn = (part: string) => {
    const prefix = `${content}/${part}/`;
    const names = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    const folders = names.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/')));
    const found = [...new Set(folders)].sort();
    if (found.length > MOST_FOLDERS) throw new ArchiveRefused(`it has more than ${MOST_FOLDERS} ${part}`);
    return found;
  };
  return {
    dump,
    readme: paths.find((path) => path.startsWith(around) && README.test(path.slice(around.length))),
    plugins: foldersIn('plugins'),
    themes: foldersIn('themes'),
    contentPath(path) {
      const below = LITTER.test(path) || path === dump ? undefined : within(path);
      return below === undefined || NOT_TAKEN.test(below) ? undefined : below;
    },
  };
}

/** The one nearest to the top that looks like wp-content. */
function contentFolder(paths: readonly string[]): string | undefined {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    const at = parts.findIndex((part) => CONTENT_NAMES.includes(part));
    const next = parts[at + 1] ?? '';
    if (at >= 0 && (at === 0 || (at + 2 < parts.length && CONTENT_PARTS.includes(next))))
      found.add(parts.slice(0, at + 1).join('/'));
  }
  const sorted = [...found].sort((a, b) => depthOf(a) - depthOf(b));
  const nearest = sorted.filter((path) => depthOf(path) === depthOf(sorted[0] ?? ''));
  if (nearest.length > 1) throw new ArchiveRefused(`it holds several sites: ${nearest.slice(0, 3).join(', ')}`);
  return nearest[0];
}

function dumpFile(paths: readonly string[], content: string): string {
  const beside = `${content.slice(0, content.lastIndexOf('/') + 1)}database.sql`;
  if (paths.includes(beside)) return beside;
  const dumps = paths.filter((path) => /\.sql$/i.test(path) && !/\/(plugins|themes|mu-plugins)\//.test(path));
  const outside = dumps.filter((path) => !path.startsWith(`${content}/`));
  const candidates = outside.length > 0 ? outside : dumps;
  if (candidates.length > 1)
    throw new ArchiveRefused(`it holds several databases: ${candidates.slice(0, 3).join(', ')}; keep one`);
  if (candidates[0] === undefined) throw new ArchiveRefused(nothingFound(paths, 'database.sql'));
  return candidates[0];
}

const depthOf = (path: string) => path.split('/').length;

/** An archive inside of the archive is the usual reason, and is never opened. */
function nothingFound(paths: readonly string[], what: string): string {
  const inner = paths.find((path) => /\.(zip|tar|tgz|gz|zst|rar|7z|wpress)$/i.test(path));
  return `it has no ${what}${inner ? `, but another archive, ${inner}, which is not opened` : ''}`;
}
