import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hashToken } from '#core/auth/tokens.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import type { SiteListener } from '#core/http/server.ts';
import type { Services } from '#core/services.ts';
import { Proxies } from '#edge/client-address.ts';
import { isUnambiguous } from '#edge/framing.ts';
import { NOTICES, noticeOf as noticeOfError, sendNotice } from '#edge/notices.ts';
import { hostName } from '#edge/route-table.ts';
import { parseTarget, type Target } from '#edge/target.ts';
import { goesOn } from '#features/hold/hold.ts';
import { roomFor, specOf } from '#features/instance/instance.ts';
import { siteOfEditor } from '#features/site-name/site-name.ts';
import { findWorkingTeam } from '#features/team/team.ts';
import { type EditorState, SiteFailure } from '#runtimes/runtime.ts';
import { ENTRANCE } from './code-editor.schema.ts';
import { type EditorRow, findEditor, takeTicket } from './code-editor.sql.ts';
import { FOREIGN, noticeOf, sendSignIn } from './editor-pages.ts';
import { joinSockets, relay } from './editor-relay.ts';
import { type EditorSession, isPassword, readSession, sessionCookie } from './editor-session.ts';

/** For so long there is taken to be none where there was none, unless a change is heard of. */
const MISSING_MS = 2_000;
const MAX_MISSING = 1_000;
const MAX_FORM_BYTES = 4_000;
const UNCONFIRMED = 'The owner of the team has to confirm their email address before the password opens the editor.';
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Answers for the hosts of code editors; `sites` does for all others. */
export function withEditors(services: Services, sites: SiteListener): SiteListener {
  const gate = new EditorGate(services);
  const at = ({ headers }: Pick<IncomingMessage, 'headers'>) =>
    siteOfEditor(services.config, hostName(headers.host ?? ''));
  return {
    handle(request, response) {
      const of = at(request);
      if (!of) return sites.handle(request, response);
      gate.answer(of, request, response, sites).catch((error: unknown) => {
        if (response.destroyed) return;
        if (!(error instanceof SiteFailure)) services.log.warn({ err: error }, 'an editor could not be shown');
        sendNotice(response, noticeOfError(error));
      });
    },
    upgrade(request, socket, head) {
      const of = at(request);
      if (!of) return sites.upgrade(request, socket, head);
      socket.on('error', () => socket.destroy());
      gate.join(of, request, socket, head, sites).catch((error: unknown) => {
        if (!(error instanceof SiteFailure)) services.log.warn({ err: error }, 'an editor could not be joined');
        refuse(socket, 503);
      });
    },
    atOnce: (visit) => (at(visit) ? undefined : sites.atOnce(visit)),
  };
}

type Of = NonNullable<ReturnType<typeof siteOfEditor>>;

/** A request to an editor, with what it comes to. */
interface Visit {
  editor: EditorRow;
  target: Target;
  request: IncomingMessage;
  isSecure: boolean;
  origin: string;
}

/**
 * The door of code editors: whoever comes in is a member of the site's team, or knows the editor's password. Pages of other sites, which browsers
 * take to be of the same one under one domain, get nothing through it.
 */
class EditorGate {
  readonly #services: Services;
  readonly #proxies: Proxies;
  readonly #missing = new Map<string, number>();
  /** Open sockets, with what asks anew whether they may stay. */
  readonly #joined = new Map<Duplex, () => Promise<void>>();

  constructor(services: Services) {
    this.#services = services;
    this.#proxies = new Proxies(services.config.trustProxy);
    services.siteChanges.subscribe(() => {
      this.#missing.clear();
      for (const recheck of this.#joined.values())
        recheck().catch((error) => services.log.warn({ err: error }, 'could not look who is in an editor'));
    });
  }

  async answer(of: Of, request: IncomingMessage, response: ServerResponse, sites: SiteListener): Promise<void> {
    const visit = await this.#visit(of, request);
    if (visit === 'bad') return void sendNotice(response, NOTICES.badRequest);
    if (!visit) return sites.handle(request, response);
    const { editor, target } = visit;
    if (!editor.is_active) return void sendNotice(response, NOTICES.suspended);
    if (editor.is_expired) return void sendNotice(response, NOTICES.expired);
    if (target.path === ENTRANCE) return this.#enter(visit, response);
    const session = await this.#sessionOf(visit);
    if (!session) return this.#signIn(visit, response);
    if (isFromElsewhere(visit)) return void sendNotice(response, FOREIGN);
    if (editor.core_version === null) return void sendNotice(response, NOTICES.creating);
    if (!goesOn(editor.busy)) return void sendNotice(response, NOTICES.held);
    await this.#pass(visit, response);
  }

  async join(of: Of, request: IncomingMessage, socket: Duplex, head: Buffer, sites: SiteListener): Promise<void> {
    const visit = await this.#visit(of, request);
    if (visit === 'bad') return refuse(socket, 400);
    if (!visit) return sites.upgrade(request, socket, head);
    const { editor, target, origin } = visit;
    if (request.headers.origin !== origin || request.method !== 'GET') return refuse(socket, 403);
    const session = await this.#sessionOf(visit);
    if (!session || !isOpen(editor)) return refuse(socket, 403);
    await this.#stayWithRights(visit, session, socket);
    if (socket.destroyed) return;
    const connection = await this.#services.hosts.connectEditor(editor);
    if (socket.destroyed) return void connection.destroy();
    joinSockets(connection, request, socket, head, target.path + target.query);
  }

  /** The socket ends with the rights of whoever has it, at once. */
  async #stayWithRights(visit: Visit, session: EditorSession, socket: Duplex): Promise<void> {
    const { events } = this.#services;
    const end = () => void socket.destroy();
    const { caller } = session;
    const leave = caller && (await events.subscribe({ caller, receive: () => {}, end }));
    // Whoever left meanwhile is not told again.
    if (socket.destroyed) return leave?.();
    const expiry = setTimeout(end, Math.min(session.expiresMs - Date.now(), LONGEST_TIMER_MS)).unref();
    const recheck = async () => {
      const name = hostName(visit.request.headers.host ?? '');
      const editor = await this.#find(name, { id: visit.editor.id });
      if (!editor || !isOpen(editor) || !(await this.#sessionOf({ ...visit, editor }))) end();
    };
    this.#joined.set(socket, recheck);
    socket.once('close', () => {
      leave?.();
      clearTimeout(expiry);
      this.#joined.delete(socket);
    });
    // Only now could an end not be missed.
    await recheck();
  }

  async #pass({ editor, target, request }: Visit, response: ServerResponse): Promise<void> {
    const { hosts } = this.#services;
    const path = target.path + target.query;
    let connection = await hosts.connectEditor(editor).catch(ifAsleep);
    // Only a page that somebody opens wakes it: an open tab goes on asking for ever.
    if (!connection) {
      const isAsked = isNavigation(request);
      const state = isAsked ? await this.#wake(editor) : await hosts.editorState(editor);
      const notice = noticeOf(isAsked || state.state !== 'running' ? state : { state: 'asleep' });
      if (notice) return void sendNotice(response, notice);
      connection = await hosts.connectEditor(editor);
    }
    if (response.destroyed) return void connection.destroy();
    await relay(connection, request, response, path);
  }

  async #wake(editor: EditorRow): Promise<EditorState> {
    const { db, hosts } = this.#services;
    const maxDiskBytes = await roomFor(db, editor, await findWorkingTeam(db, editor.team_id));
    return hosts.wakeEditor(specOf(this.#services, editor), maxDiskBytes);
  }

  async #enter(visit: Visit, response: ServerResponse): Promise<void> {
    const { editor, request, target } = visit;
    if (request.method === 'POST') return this.#enterByPassword(visit, response);
    const ticket = /^\?ticket=([\w-]{43})$/.exec(target.query)?.[1];
    const who =
      ticket && request.method === 'GET' && (await takeTicket(this.#services.db, hashToken(ticket), editor.id));
    if (!who) return this.#signIn(visit, response, { status: 403, text: 'This link was used already, or is too old.' });
    this.#welcome(visit, response, who);
  }

  async #enterByPassword(visit: Visit, response: ServerResponse): Promise<void> {
    const { editor, request, origin } = visit;
    const { limits } = this.#services;
    if (request.headers.origin !== origin) return void sendNotice(response, FOREIGN);
    // A password names no account, so the owner's counts. The editor has a terminal.
    if (!editor.owner_is_verified) return this.#signIn(visit, response, { status: 403, text: UNCONFIRMED });
    const address = addressKey(this.#proxies.clientAddress(request.socket.remoteAddress, request.headers));
    const counted = [
      ['failedSignIn', `editor ${editor.id} ${address}`],
      ['failedSignInOfAccount', `editor ${editor.id}`],
    ] as const;
    const full = counted.map(([name, key]) => limits.peek(name, key)).find(({ exceeded }) => exceeded);
    if (full) {
      const retrySeconds = full.resetSeconds;
      const fault = { status: 429, text: 'Too many wrong passwords. Try again in a minute.', retrySeconds };
      return this.#signIn(visit, response, fault);
    }
    const given = await readPassword(request);
    if (given === undefined) return void sendNotice(response, NOTICES.badRequest);
    if (isPassword(this.#services, editor, given)) return this.#welcome(visit, response, 'password');
    for (const [name, key] of counted) limits.take(name, key);
    this.#signIn(visit, response, { status: 403, text: 'This is not the password.' });
  }

  #welcome({ editor, isSecure }: Visit, response: ServerResponse, who: string): void {
    // The address that carried the ticket is told to nobody.
    const headers = { location: '/', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    const cookie = sessionCookie(this.#services, editor, who, isSecure);
    response.writeHead(303, { ...headers, 'set-cookie': cookie }).end();
  }

  #signIn({ editor }: Visit, response: ServerResponse, fault?: Parameters<typeof sendSignIn>[1]['fault']): void {
    const site = editor.fqdn;
    const dashboardUrl = `${this.#services.config.baseUrl}/sites/${editor.live_fqdn}?tab=editor`;
    sendSignIn(response, { action: ENTRANCE, site, dashboardUrl, ...(fault && { fault }) });
  }

  #sessionOf({ editor, request, isSecure }: Visit): Promise<EditorSession | undefined> {
    return readSession(this.#services, editor, request.headers.cookie, isSecure);
  }

  async #visit(of: Of, request: IncomingMessage): Promise<Visit | 'bad' | undefined> {
    const { headers, socket } = request;
    const target = parseTarget(request.url ?? '', headers.host ?? '');
    if (!target || !isUnambiguous(request)) return 'bad';
    const editor = await this.#find(hostName(headers.host ?? ''), of);
    if (!editor) return undefined;
    const own = new URL(this.#services.config.baseUrl).protocol.slice(0, -1);
    const protocol = this.#proxies.protocol(socket.remoteAddress, headers) ?? own;
    return { editor, target, request, isSecure: protocol === 'https', origin: `${protocol}://${headers.host}` };
  }

  /** Nobody has the database asked with each request about what is not there. */
  async #find(name: string, of: Of): Promise<EditorRow | undefined> {
    const missingSinceMs = this.#missing.get(name);
    const nowMs = performance.now();
    if (missingSinceMs !== undefined && nowMs - missingSinceMs < MISSING_MS) return undefined;
    const editor = await findEditor(this.#services.db, name, of);
    if (editor?.is_open) return editor;
    if (this.#missing.size >= MAX_MISSING) this.#missing.clear();
    this.#missing.set(name, nowMs);
    return undefined;
  }
}

function isOpen({ is_active, is_expired, busy }: EditorRow): boolean {
  return is_active && !is_expired && goesOn(busy);
}

/** What a page of another site had its browser ask; a link to the editor that somebody follows is none of that. */
function isFromElsewhere({ request, origin }: Visit): boolean {
  const { headers, method } = request;
  if (headers.origin !== undefined && headers.origin !== origin) return true;
  if (method !== 'GET' && method !== 'HEAD' && headers.origin === undefined) return true;
  const from = headers['sec-fetch-site'];
  if (from === undefined || from === 'same-origin' || from === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

/** Whether somebody opens a page. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const mode = headers['sec-fetch-mode'];
  return method === 'GET' && (mode === undefined ? /text\/html/.test(headers.accept ?? '') : mode === 'navigate');
}

async function readPassword(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_FORM_BYTES) return undefined;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString()).get('password') ?? undefined;
}

function ifAsleep(error: unknown): undefined {
  if (!(error instanceof SiteFailure)) throw error;
}

const REASONS = { 400: 'Bad Request', 403: 'Forbidden', 503: 'Service Unavailable' };

function refuse(socket: Duplex, status: keyof typeof REASONS): void {
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
