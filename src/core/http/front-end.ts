import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '#core/escape-html.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Pictures come from anywhere, since each site shows its own icon; they can not run, and learn no referrer. What is framed are copies of sites, under
 * names of the platform's own domain.
 */
const pagePolicy = (framed: string) =>
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: http: https:; font-src 'self'; connect-src 'self'; " +
  `manifest-src 'self'; frame-src ${framed}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** The terminal shows no pictures. Its library writes style elements of its own. */
const TERMINAL_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Whoever reads the docs is shown nothing but what we wrote, and their own calls to the API. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** What the page of a terminal has to know; a ticket where it can not ask for one. */
export interface TerminalSetting {
  fqdn: string;
  for_stage: boolean;
  /** What the site is called that it is of. */
  name: string;
  ticket: string | null;
}

/** What the page of somebody who is signed in holds besides, so that it is drawn with what it shows and not before that. */
export interface OwnPage {
  /** Whose files are asked for at once (web/first-files.vite.ts). */
  files: 'home' | 'site' | 'other';
  /** Addresses of what the page shows first, as far as they are known by now. */
  pictures: readonly string[];
  /** It must not fail, and says itself how long it is waited for. */
  first: Promise<FirstAnswers>;
  /** For whom the page is drawn here; who is told undefined has it drawn by their browser. */
  visitor: Visitor | undefined;
}

/** Somebody who opens a page, as far as the request tells. */
export interface Visitor {
  /** Of the page, with its host. */
  address: string;
  userAgent: string;
  /** How they write dates, and by which time. */
  clock: { locale: string; timeZone: string };
  chosenTeam: string | undefined;
}

/** What the dashboard's own code offers (web/src/server.tsx). Undefined where a page needs more than the answers. */
interface Drawing {
  draw(visitor: Visitor & Pick<FirstAnswers, 'answers'>): Promise<Drawn | undefined>;
}

interface Drawn {
  html: string;
  /** What the browser compares with what it knows itself. */
  drawnFor: string;
}

export interface FirstAnswers {
  /** JSON by the address that the page would ask at. */
  answers: ReadonlyMap<string, string>;
  /** Those that the answers tell of. */
  pictures: readonly string[];
  /** The place in the stream of events before which they are; undefined where it could not be told in time. */
  eventsAfter: string | undefined;
}

/** A page of the docs; its body is HTML, the rest is text. */
export interface DocsPage {
  title: string;
  description: string;
  body: string;
}

interface Asset {
  body: Buffer;
  /** Compressed for the first who takes it so: most of them nobody asks for, and a start need not wait for it. */
  gzipped(): Promise<Buffer>;
  type: string;
  etag: string;
  cacheControl: string;
}

const NOT_BUILT = Buffer.from(
  '<!doctype html><title>Siteyard</title><p>The dashboard is not built. Run <code>npm start</code>, which builds it.',
);

/** Which files the pages of the dashboard begin with. */
const FIRST_FILES = '/first-files.json';

/** The dashboard's own program, in its page, and what begins it in one that is drawn. */
const MODULE = /<script type="module" crossorigin src="([^"]+)"><\/script>/;
const AFTER_PAINT = '/after-paint.js';

/** Where the dashboard is drawn in its page. */
const ROOT = '<div id="root"></div>';

/** The dashboard: a few files that are kept in memory, each compressed once. Every path of its own router gets its page. */
export class FrontEnd {
  readonly #assets: Map<string, Asset>;
  readonly #page: Asset;
  readonly #terminal: string;
  readonly #docs: string;
  readonly #docsPages = new WeakMap<DocsPage, Asset>();
  readonly #framed: () => string;
  readonly #drawing: string;
  readonly #firstFiles: Record<OwnPage['files'], string[]>;

  private constructor(assets: Map<string, Asset>, drawing: string, framed: () => string) {
    this.#drawing = drawing;
    this.#framed = framed;
    this.#assets = assets;
    this.#page = assets.get('/index.html') ?? toAsset('/index.html', NOT_BUILT);
    this.#firstFiles = JSON.parse(assets.get(FIRST_FILES)?.body.toString() ?? '{"home":[],"site":[],"other":[]}');
    this.#terminal = (assets.get('/terminal.html')?.body ?? NOT_BUILT).toString();
    this.#docs = assets.get('/docs.html')?.body.toString() ?? '<title>%docs-title%</title>%docs-body%';
  }

  /** `drawing` is the program that draws pages here; `framed` tells whose pages the dashboard may show in frames. */
  static async load(folder: string, drawing: string, framed: () => string): Promise<FrontEnd> {
    return new FrontEnd(await loadAssets(folder), drawing, framed);
  }

  /** The same for everybody, and with nothing in it. */
  sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // Whoever signs in here is shown a page that is drawn.
    this.#load().catch(() => {});
    reply.header('content-security-policy', pagePolicy(this.#framed()));
    return send(request, reply, this.#page, 'accept-encoding, cookie');
  }

  /**
   * A page of its own for each who asks, which nobody keeps: whoever comes back to it gets it anew. Its beginning is sent before the answers are
   * there, so that the browser reads its files meanwhile.
   */
  sendOwnPage(request: FastifyRequest, reply: FastifyReply, page: OwnPage): FastifyReply {
    reply.headers({
      'content-security-policy': pagePolicy(this.#framed()),
      'cache-control': 'private, no-store',
      vary: 'accept-encoding, cookie',
    });
    const isGzipped = takesGzip(request);
    if (isGzipped) reply.header('content-encoding', 'gzip');
    const out = isGzipped ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : new PassThrough();
    // Whoever leaves in the middle is nobody's fault.
    pipeline(Readable.from(this.#ownPage(page, request.log)), out, () => {});
    return reply.type(TYPES['.html'] as string).send(out);
  }

  async *#ownPage({ files, pictures, first, visitor }: OwnPage, log: FastifyBaseLogger): AsyncGenerator<string> {
    const page = this.#page.body.toString();
    const [head = '', rest = ''] = (visitor ? this.#afterPaint(page) : page).split('</head>');
    const [body = '', end = ''] = rest.split(ROOT);
    const scripts = this.#firstFiles[files].map((file) => `<link rel="modulepreload" crossorigin href="${file}">`);
    yield `${head}${scripts.join('')}${preloads(pictures)}</head>${body}`;
    const found = await first;
    const answers = [...found.answers].map(([address, json]) => `${JSON.stringify(address)}:${json}`);
    // Nothing in it can end the block.
    const json = `{${answers.join()}}`.replaceAll('<', '\\u003c');
    const place = found.eventsAfter === undefined ? '' : ` data-events-after="${escapeHtml(found.eventsAfter)}"`;
    const block = `<script type="application/json" id="first-answers"${place}>${json}</script>`;
    const isAnswered = found.answers.size > 0;
    const drawn = visitor && isAnswered ? await this.#draw({ ...visitor, answers: found.answers }, log) : undefined;
    // Nothing of it is used before the browser has the scripts that would hear of it.
    const root = drawn
      ? `<div id="root" inert data-drawn-for="${escapeHtml(drawn.drawnFor)}">${drawn.html}</div>`
      : ROOT;
    yield `${preloads(found.pictures)}${root}${block}${end}`;
  }

  /** What is drawn here is painted before the dashboard's own program begins, which is fetched meanwhile. */
  #afterPaint(page: string): string {
    const script = this.#assets.get(AFTER_PAINT);
    if (!script) return page;
    return page.replace(MODULE, (_script, address: string) => {
      const begin = `<script defer src="${AFTER_PAINT}?v=${versionOf(script)}" data-module="${address}"></script>`;
      return `<link rel="modulepreload" crossorigin href="${address}">${begin}`;
    });
  }

  #load(): Promise<Drawing> {
    return import(this.#drawing);
  }

  /** The browser draws what can not be drawn here. */
  async #draw(visitor: Parameters<Drawing['draw']>[0], log: FastifyBaseLogger): Promise<Drawn | undefined> {
    try {
      const { draw } = await this.#load();
      return await draw(visitor);
    } catch (err) {
      log.warn({ err }, 'a page of the dashboard could not be drawn');
      return undefined;
    }
  }

  /** A file of the dashboard. */
  sendFile(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> | undefined {
    const asset = this.#assets.get(path);
    // Pages come with a policy, each at its own addresses.
    if (!asset || path.endsWith('.html') || path === FIRST_FILES) return undefined;
    return send(request, reply, asset);
  }

  /** A page of its own for each who asks: it names the site, and may hold a ticket. */
  sendTerminal(reply: FastifyReply, setting: TerminalSetting): FastifyReply {
    const page = this.#terminal.replace('%terminal-setting%', () => escapeHtml(JSON.stringify(setting)));
    return reply
      .headers({ 'content-security-policy': TERMINAL_POLICY, 'cache-control': 'no-store' })
      .type(TYPES['.html'] as string)
      .send(page);
  }

  /** The same for everybody, so that it is made once and need not be sent again. */
  sendDocs(request: FastifyRequest, reply: FastifyReply, page: DocsPage): Promise<FastifyReply> {
    const asset = this.#docsPages.get(page) ?? toAsset('/docs.html', Buffer.from(this.#fillDocs(page)));
    this.#docsPages.set(page, asset);
    return send(request, reply.header('content-security-policy', DOCS_POLICY), asset);
  }

  #fillDocs({ title, description, body }: DocsPage): string {
    const parts: Record<string, string> = { title: escapeHtml(title), description: escapeHtml(description), body };
    return this.#docs.replaceAll(/%docs-(\w+)%/g, (_, name: string) => parts[name] ?? '');
  }
}

const FOREVER = 'public, max-age=31536000, immutable';

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  vary = 'accept-encoding',
): Promise<FastifyReply> {
  const isVersion = (request.query as { v?: string }).v === versionOf(asset);
  const cacheControl = isVersion ? FOREVER : asset.cacheControl;
  reply.header('etag', asset.etag).header('cache-control', cacheControl).header('vary', vary);
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
  reply.type(asset.type);
  if (!takesGzip(request)) return reply.send(asset.body);
  return reply.header('content-encoding', 'gzip').send(await asset.gzipped());
}

const preloads = (pictures: readonly string[]) =>
  pictures
    .map((address) => `<link rel="preload" as="image" fetchpriority="high" href="${escapeHtml(address)}">`)
    .join('');

const takesGzip = ({ headers }: FastifyRequest) => /\bgzip\b/.test(String(headers['accept-encoding']));

async function loadAssets(folder: string): Promise<Map<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  const loaded = files.map(async (entry): Promise<[string, Asset]> => {
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file)}`;
    return [path, toAsset(path, await readFile(file))];
  });
  const assets = new Map(await Promise.all(loaded));
  for (const [path, { body }] of assets)
    if (path.endsWith('.html')) assets.set(path, toAsset(path, Buffer.from(withVersions(body.toString(), assets))));
  return assets;
}

/** Scripts that a page needs before anything else are asked for by what they hold, so that a browser has them already. */
function withVersions(html: string, assets: ReadonlyMap<string, Asset>): string {
  return html.replaceAll(/ src="(\/[\w-]+\.js)"/g, (whole, path: string) => {
    const asset = assets.get(path);
    return asset ? ` src="${path}?v=${versionOf(asset)}"` : whole;
  });
}

const versionOf = ({ etag }: Asset) => etag.slice(1, -1);

function toAsset(path: string, body: Buffer): Asset {
  let gzipped: Promise<Buffer> | undefined;
  return {
    body,
    gzipped() {
      gzipped ??= promisify(gzip)(body);
      return gzipped;
    },
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    // The names under assets carry a hash of their content; the page itself is asked for each time.
    cacheControl: path.startsWith('/assets/') ? FOREVER : 'no-cache',
  };
}
