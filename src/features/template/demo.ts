import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { SiteListener } from '#core/http/server.ts';
import type { Services } from '#core/services.ts';
import { Proxies } from '#edge/client-address.ts';
import { NOTICES, type Notice, sendNotice } from '#edge/notices.ts';
import { isNotModified } from '#edge/preconditions.ts';
import { PreviewDoor, previewToken } from '#edge/preview.ts';
import { hostName } from '#edge/route-table.ts';
import { readPath } from '#edge/static/static-path.ts';
import { decodePath, parseTarget } from '#edge/target.ts';
import { siteUrl } from '#features/instance/instance.ts';
import { demoName, templateOfDemo } from '#features/site-name/site-name.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { fileName, NOT_FOUND_PAGE, pageName } from './demo.export.ts';
import { findTemplate, type TemplateRow } from './template.sql.ts';

/**
 * The demo of a template: its static export under a host of its own, where a stranger's JavaScript finds nothing of the platform's. What
 * everybody may see is shown in a sandbox besides, without cookies and storage; the others open with a link from the API.
 */

/** Where the export is, below the content of the snapshot that has it. */
export const DEMO_FOLDER = 'siteyard-demo';
/** For how long a link to a demo that is not for everybody opens it, and for how long it then stays open. */
const OPEN_MS = 3_600_000;
/** For so long a template is taken to be as it was. */
const KNOWN_MS = 2_000;
const MAX_KNOWN = 1_000;

interface Demo {
  at: { id: string; host: string; driver: string };
  space: string;
  moment: SnapshotName;
  isOpen: boolean;
  key: string;
}

function demoOf(services: Pick<Services, 'secrets'>, template: TemplateRow): Demo | undefined {
  const { id, content_id, demo_hash, demo_point, host, driver, approved, is_public } = template;
  if (content_id === null || demo_hash === null || demo_point === null || host === null || driver === null) return;
  return {
    at: { id: content_id, host, driver },
    space: id,
    moment: { hash: demo_hash, timeMs: demo_point.getTime() },
    isOpen: approved && is_public,
    // Whoever could see another content has to ask again.
    key: services.secrets.derive(`template demo ${id} ${content_id}`),
  };
}

/** Where whoever may see the template can see its demo. */
export function demoUrl(services: Pick<Services, 'config' | 'secrets'>, template: TemplateRow): string | null {
  const demo = demoOf(services, template);
  if (!demo) return null;
  const name = demoName(services.config, template.id);
  const url = siteUrl(services, name);
  if (demo.isOpen) return `${url}/`;
  return `${url}/.siteyard/preview?token=${previewToken(demo.key, name, Date.now() + OPEN_MS)}`;
}

/** Answers for the hosts of demos; `sites` does for all others. */
export function withDemos(services: Services, sites: SiteListener): SiteListener {
  const demos = new Demos(services);
  const idOf = ({ headers }: Pick<IncomingMessage, 'headers'>) =>
    templateOfDemo(services.config, hostName(headers.host ?? ''));
  return {
    handle(request, response) {
      const id = idOf(request);
      if (id === undefined) return sites.handle(request, response);
      demos.answer(id, request, response).catch((error: unknown) => {
        if (response.destroyed) return;
        services.log.warn({ err: error, templateId: id }, 'a demo could not be shown');
        sendNotice(response, NOTICES.internal);
      });
    },
    upgrade: (request, socket, head) => sites.upgrade(request, socket, head),
    atOnce: (visit) => (idOf(visit) === undefined ? sites.atOnce(visit) : undefined),
  };
}

class Demos {
  readonly #services: Services;
  readonly #proxies: Proxies;
  readonly #known = new Map<string, { demo: Demo | undefined; readAtMs: number }>();

  constructor(services: Services) {
    this.#services = services;
    this.#proxies = new Proxies(services.config.trustProxy);
  }

  async answer(templateId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request.url ?? '', request.headers.host ?? '');
    if (!target) return refuse(response, NOTICES.badRequest);
    const seen = (demo: Demo | undefined) =>
      demo ? this.#noticeFor(templateId, demo, request, target) : NOTICES.noSite;
    let demo = await this.#find(templateId);
    // Whoever is sent away comes perhaps with what the template is like since a moment ago.
    if (seen(demo)) demo = await this.#find(templateId, true);
    const notice = seen(demo);
    if (!demo || notice) return refuse(response, notice ?? NOTICES.noSite);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, ONLY_TO_LOOK_AT);
    await this.#send(demo, target, request, response);
  }

  #noticeFor(templateId: string, demo: Demo, request: IncomingMessage, target: { path: string; query: string }) {
    if (demo.isOpen) return undefined;
    const { config } = this.#services;
    const { headers, socket } = request;
    const protocol =
      this.#proxies.protocol(socket.remoteAddress, headers) ?? new URL(config.baseUrl).protocol.slice(0, -1);
    const door = { key: demo.key, expiresAt: new Date(Date.now() + OPEN_MS) };
    return new PreviewDoor(door, demoName(config, templateId)).noticeFor({ request, headers, protocol, ...target });
  }

  async #send(
    demo: Demo,
    { path, query }: { path: string; query: string },
    { headers, method }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { hosts } = this.#services;
    const names = namesFor(path, query);
    const paths = names.map(({ name }) => `${DEMO_FOLDER}/${name}`);
    const files = await hosts.findKeptFiles(demo.at, demo.space, demo.moment, paths);
    const index = files.findIndex((each) => each !== undefined);
    const [file, found] = [files[index], names[index]];
    if (!file || !found) return refuse(response, NOTICES.notFound);
    const etag = `"${createHash('sha256').update(file.ref).digest('base64url').slice(0, 22)}"`;
    const head = { ...headersOf(demo), etag, 'content-type': found.contentType, 'content-length': file.sizeBytes };
    if (found.status === 200 && isNotModified(headers, [etag], Number.NaN)) {
      response.writeHead(304, { ...headersOf(demo), etag }).end();
      return;
    }
    response.writeHead(found.status, head);
    if (method === 'HEAD') return void response.end();
    const content = await hosts.readKeptFile(demo.at, demo.space, file.ref, 0, file.sizeBytes);
    // Whoever has gone needs no rest.
    await pipeline(content, response).catch(() => response.destroy());
  }

  async #find(templateId: string, anew = false): Promise<Demo | undefined> {
    const known = this.#known.get(templateId);
    const nowMs = performance.now();
    // Nobody has the database asked with each request about what is not there.
    if (!(anew && known?.demo) && known && nowMs - known.readAtMs < KNOWN_MS) return known.demo;
    const template = await findTemplate(this.#services.db, templateId);
    const demo = template && demoOf(this.#services, template);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(templateId, { demo, readAtMs: nowMs });
    return demo;
  }
}

interface Named {
  name: string;
  contentType: string;
  status: 200 | 404;
}

const HTML = 'text/html; charset=utf-8';

/** What an address may be, the likeliest first. */
function namesFor(rawPath: string, query: string): Named[] {
  const path = decodePath(rawPath);
  if (path === undefined) return [];
  const file = readPath(rawPath);
  const page = (name: string, status: Named['status'] = 200) => ({ name, contentType: HTML, status });
  return [
    ...(typeof file === 'object'
      ? [{ name: fileName(file.path), contentType: file.contentType, status: 200 as const }]
      : []),
    ...(query === '' ? [] : [page(pageName(path, query))]),
    page(pageName(path)),
    page(NOT_FOUND_PAGE, 404),
  ];
}

/** In the sandbox, the origin is nobody's: fonts and modules are asked for as from elsewhere. */
const SANDBOXED = {
  'content-security-policy': "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; form-action 'none'",
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=60',
};
const PRIVATE = { 'content-security-policy': "form-action 'none'", 'cache-control': 'private, no-store' };

const headersOf = ({ isOpen }: Demo) => ({
  ...(isOpen ? SANDBOXED : PRIVATE),
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
});

const ONLY_TO_LOOK_AT: Notice = {
  status: 405,
  code: 'demo.read_only',
  title: 'A demo',
  text: 'This is the demo of a template: it can be looked at, and takes nothing.',
  whoseTurn: 'Make a site from the template to try the rest.',
  headers: { allow: 'GET, HEAD' },
};

function refuse(response: ServerResponse, notice: Notice): void {
  sendNotice(response, notice);
}
