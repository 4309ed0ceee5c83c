import { createHash } from 'node:crypto';
import type { Services } from '#core/services.ts';
import { withoutFirstSlashes, withoutLastSlashes } from '#core/slashes.ts';
import { placesOf, readPath } from '#edge/static/static-path.ts';
import { decodePath } from '#edge/target.ts';
import type { HostedSpec } from '#host/site-host.ts';
import { AnswerTooLarge, requestSite, type SiteAnswer } from '#runtimes/request.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import { linksOfPage, linksOfSitemap, linksOfStyle, withoutHost } from './demo.links.ts';

/** The pages of a site as a visitor would see them, with all that they are made of, by the names that they are kept under. */
export type StaticSite = Map<string, Buffer>;

const LIMITS = {
  pages: 200,
  files: 3_000,
  sitemaps: 10,
  pageBytes: 2 * 1024 * 1024,
  eachBytes: 8 * 1024 * 1024,
  allBytes: 64 * 1024 * 1024,
  allMs: 4 * 60_000,
  pageMs: 30_000,
  pathBytes: 1_000,
  waiting: 1_000,
  seen: 20_000,
};

/** What is kept of a page, or of a file of it: names that no two have, and that every file system takes. */
export const pageName = (path: string, query = ''): string => named(`page ${trimmed(path)}${query}`, 'html');
export const fileName = (path: string): string => named(`file ${path}`, /\.(\w{1,12})$/.exec(path)?.[1] ?? 'bin');
export const NOT_FOUND_PAGE = 'not-found.html';

const named = (key: string, extension: string) =>
  `${createHash('sha256').update(key).digest('hex').slice(0, 40)}.${extension.toLowerCase()}`;
const trimmed = withoutLastSlashes;

/** Nobody can answer these without WordPress, or they are for programs. */
const NO_PAGE = /\.php(?:\/|$)|^\/wp-(?:json|admin|login)|\/(?:feed|embed|trackback)\/?$|^\/comments\//i;
/** Where addresses are not pretty, these name a page. */
const PAGE_QUERY = /^\?(?:(?:p|page_id|cat|tag|paged|author|post_type|attachment_id|m|page)=[\w-]+&?)+$/;
/** Surely no page of anybody's. */
const NOWHERE = '/siteyard-shows-what-is-not-there/';

/**
 * Visits a site that nobody else visits, from its front page, its sitemap and the links, until there is nothing new or a limit is met.
 * Undefined where not even its front page can be shown.
 */
export async function exportSite(
  hosts: Services['hosts'],
  site: HostedSpec,
  signal: AbortSignal,
): Promise<StaticSite | undefined> {
  const crawl = new Crawl(hosts, site, signal);
  if (!(await crawl.visit('/', ''))) return undefined;
  await crawl.readSitemap();
  await crawl.visitAll();
  await crawl.keepNotFound();
  return crawl.kept;
}

class Crawl {
  readonly kept: StaticSite = new Map();
  readonly #hosts: Services['hosts'];
  readonly #site: HostedSpec;
  readonly #signal: AbortSignal;
  readonly #host: string;
  readonly #waiting: string[] = [];
  readonly #seen = new Set<string>(['page ']);
  readonly #endsAtMs = performance.now() + LIMITS.allMs;
  #pages = 0;
  #bytes = 0;

  constructor(hosts: Services['hosts'], site: HostedSpec, signal: AbortSignal) {
    this.#hosts = hosts;
    this.#site = site;
    this.#signal = signal;
    this.#host = new URL(site.url).host;
  }

  async readSitemap(): Promise<void> {
    const maps = ['/wp-sitemap.xml'];
    for (let read = 0; read < LIMITS.sitemaps && maps.length > 0 && !this.#isFull; read++) {
      const answer = await this.#ask(maps.shift() as string);
      if (answer?.status !== 200) continue;
      for (const link of linksOfSitemap(withoutHost(answer.body.toString(), this.#host)))
        if (/\.xml$/.test(link)) maps.push(this.#urlOf(link, '/')?.pathname ?? '/');
        else this.#wait(link, '/');
    }
  }

  async visitAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined && !this.#isFull; next = this.#waiting.shift()) {
      const { pathname = '/', search = '' } = URL.parse(next, this.#site.url) ?? {};
      await this.visit(pathname, search);
    }
  }

  /** True where there was a page. */
  async visit(path: string, query: string): Promise<boolean> {
    this.#pages++;
    const answer = await this.#ask(`${path}${query}`);
    const target = answer && redirectOf(answer, this.#site.url);
    if (target !== undefined) {
      this.#wait(target, path);
      return this.#keep(pageName(decodePath(path) ?? path, query), Buffer.from(stubFor(target)));
    }
    if (answer?.status !== 200 || !isHtml(answer)) return false;
    return this.#keepPage(pageName(decodePath(path) ?? path, query), path, answer.body);
  }

  async keepNotFound(): Promise<void> {
    if (performance.now() > this.#endsAtMs) return;
    const answer = await this.#ask(NOWHERE);
    if (answer?.status === 404 && isHtml(answer)) await this.#keepPage(NOT_FOUND_PAGE, '/', answer.body);
  }

  async #keepPage(name: string, path: string, body: Buffer): Promise<boolean> {
    const html = withoutHost(body.toString(), this.#host);
    if (!this.#keep(name, Buffer.from(html))) return false;
    for (const link of linksOfPage(html)) {
      await this.#takeFile(link, path);
      this.#wait(link, path);
    }
    return true;
  }

  /** A file that a page or a style needs, from where the edge would take it. */
  async #takeFile(link: string, from: string): Promise<void> {
    const url = this.#urlOf(link, from);
    const named = url && readPath(url.pathname);
    if (this.#isFull || !named || named === 'denied' || named === 'dynamic' || !this.#isNew(`file ${named.path}`))
      return;
    for (const { root, path } of placesOf(named.path, this.#site)) {
      const file = await this.#hosts.readFile(root, path, LIMITS.eachBytes);
      if (!file?.content) continue;
      const isText = /^(?:text\/|application\/json|image\/svg)/.test(named.contentType);
      const content = isText ? Buffer.from(withoutHost(file.content.toString(), this.#host)) : file.content;
      if (!this.#keep(fileName(named.path), content)) return;
      if (!named.contentType.startsWith('text/css')) return;
      for (const more of linksOfStyle(content.toString())) await this.#takeFile(more, named.path);
      return;
    }
  }

  #wait(link: string, from: string): void {
    const url = this.#urlOf(link, from);
    if (!url || this.#isFull || this.#waiting.length >= LIMITS.waiting) return;
    const kind = readPath(url.pathname);
    const isPage =
      kind === 'dynamic' && !NO_PAGE.test(url.pathname) && (url.search === '' || PAGE_QUERY.test(url.search));
    if (isPage && this.#isNew(`page ${trimmed(url.pathname)}${url.search}`))
      this.#waiting.push(`${url.pathname}${url.search}`);
  }

  #urlOf(link: string, from: string): URL | undefined {
    const url = URL.parse(link, `${this.#site.url}${from}`);
    if (url?.host !== this.#host || url.pathname.length > LIMITS.pathBytes) return undefined;
    return url;
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key) || this.#seen.size >= LIMITS.seen) return false;
    this.#seen.add(key);
    return true;
  }

  #keep(name: string, content: Buffer): boolean {
    if (this.#bytes + content.length > LIMITS.allBytes) return false;
    this.#bytes += content.length;
    this.kept.set(name, content);
    return true;
  }

  get #isFull(): boolean {
    return (
      this.#pages > LIMITS.pages ||
      this.kept.size > LIMITS.files ||
      this.#bytes >= LIMITS.allBytes ||
      performance.now() > this.#endsAtMs
    );
  }

  /** Undefined where the site itself can not answer: the template's own fault, and no reason to try again. */
  async #ask(path: string): Promise<SiteAnswer | undefined> {
    this.#signal.throwIfAborted();
    const request = { method: 'GET', path, timeoutMs: LIMITS.pageMs, maxBytes: LIMITS.pageBytes };
    try {
      return await requestSite({ start: () => this.#hosts.start(this.#site) }, this.#site, request);
    } catch (error) {
      const isTheirs = error instanceof AnswerTooLarge || (error as Error).name === 'TimeoutError';
      if (isTheirs || (error instanceof SiteFailure && ['timeout', 'memory', 'crash'].includes(error.reason)))
        return undefined;
      throw error;
    }
  }
}

const isHtml = ({ headers }: SiteAnswer) => String(headers['content-type'] ?? '').startsWith('text/html');

/** Where on the same site an answer sends its visitor, without the host. */
function redirectOf({ status, headers }: SiteAnswer, own: string): string | undefined {
  if (status < 300 || status > 399 || typeof headers.location !== 'string') return undefined;
  const target = URL.parse(headers.location, own);
  return target?.host === new URL(own).host ? `/${withoutFirstSlashes(target.pathname)}${target.search}` : undefined;
}

function stubFor(target: string): string {
  const address = target.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">Moved</a>`;
}
