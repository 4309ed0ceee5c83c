/**
 * What an exported page leads to, and how its addresses become those of wherever it is shown: they lose their host, so that each begins
 * with a slash. Pages are taken as text: whatever WordPress or a plugin wrote (attributes, styles, JSON in scripts) names its
 * own host in one of a few ways.
 */

/** The text with every address of the site's own without its host. */
export function withoutHost(text: string, host: string): string {
  const name = host.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text
    .replaceAll(new RegExp(`(?:https?:)?//${name}(/?)`, 'gi'), '/')
    .replaceAll(new RegExp(`(?:https?:)?\\\\/\\\\/${name}(?:\\\\/)?`, 'gi'), '\\/')
    .replaceAll(new RegExp(`(?:https?%3A)?%2F%2F${name}(?:%2F)?`, 'gi'), '%2F');
}

/** A page may be made to hold up whoever reads it, so that in no pattern two neighbours take the same characters. */
const ATTRIBUTE = /\b(?:href|src|poster|data-src|data-bg|content)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
const SOURCE_SET = /\b(?:srcset|imagesrcset|data-srcset)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
/** What scripts are told of files, slashes escaped or not. */
const IN_SCRIPT = /"((?:\\?\/)wp-(?:content|includes)\\?\/[^"\s<>]+)"/g;
const IN_STYLE = /\burl\(([^()]{0,2000})\)|@import\s+["']([^"'\n]*)["']/gi;
/** More than any page leads to. */
const MOST_LINKS = 5_000;
/** Another address of the same page, which would only lead back to it. */
const SHORT_LINK = /<link\b[^<>]{0,200}\brel=["']?shortlink[^<>]{0,200}>/gi;

/** What a page without its host leads to: other pages, and what it is made of. */
export function linksOfPage(html: string): string[] {
  const text = html.replaceAll(SHORT_LINK, '');
  const sets = found(text, SOURCE_SET).flatMap((set) => set.split(',').map((one) => one.trim().split(/\s/)[0] ?? ''));
  const scripts = found(text, IN_SCRIPT).map((path) => path.replaceAll('\\/', '/'));
  return unique([...found(text, ATTRIBUTE), ...sets, ...scripts, ...linksOfStyle(text)]);
}

export function linksOfStyle(css: string): string[] {
  return unique(found(css, IN_STYLE));
}

export function linksOfSitemap(xml: string): string[] {
  return unique(found(xml, /<loc>\s*([^<\s]+)\s*<\/loc>/gi));
}

function found(text: string, pattern: RegExp): string[] {
  const links = [...text.matchAll(pattern)].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');
  return links.map((link) => unquoted(link.trim()).replaceAll(/&(?:amp|#0?38|#x26);/gi, '&'));
}

const NO_ADDRESS = /^(?:#|(?:data|blob|mailto|tel|javascript):)/i;
const unique = (links: string[]) =>
  [...new Set(links.filter((link) => link !== '' && !NO_ADDRESS.test(link)))].slice(0, MOST_LINKS);
const unquoted = (text: string) => (/^(?:".*"|'.*')$/s.test(text) ? text.slice(1, -1).trim() : text);
