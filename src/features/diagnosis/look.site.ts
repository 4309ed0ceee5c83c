import type { TLSSocket } from 'node:tls';
import type { Caller } from '#core/auth/caller.ts';
import { invoke } from '#core/http/invoke.ts';
import { maskText } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';
import { type SiteRow, siteReports, siteUrl, visitSite } from '#features/instance/instance.ts';
import type { FrontPage, LastError } from './diagnosis.schema.ts';
import { handshake } from './handshake.ts';
import { NothingToSee } from './look.ts';

/** What every look gets: each asks in the caller's name, through the same operations as anybody. */
export interface Subject {
  services: Services;
  caller: Caller;
  site: SiteRow;
  ip: string;
  /** Ends when nobody waits for the look any more. */
  signal?: AbortSignal;
}

const DAY_MS = 86_400_000;
const FRONT_PAGE_MS = 15_000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const SHOWN_ERRORS = 8;
const MAX_MESSAGE = 300;
/** Of a line in the log: enough that a secret at the end of what is shown is still known as one. */
const MAX_LINE = 2_000;

type Values = Record<string, string | number>;

/** Asks an operation as the caller, who changes nothing by it and is shown no secret. */
async function ask({ services, caller, ip, signal }: Subject, id: string, input: { params?: Values; query?: Values }) {
  const operation = services.operations.get(id);
  if (!operation) throw new NothingToSee('The platform has no such look.');
  const within = { scopes: ['read', 'plan'] as const };
  return invoke(services, operation, caller, { ...input, ip, within, ...(signal && { signal }) });
}

/** Reads by an operation; its refusal is what there is to see. */
export async function read<T>(subject: Subject, id: string, params: Values, query: Values = {}): Promise<T> {
  const { status, body } = await ask(subject, id, { params, query });
  if (status === 200) return body as T;
  const { detail } = body as { detail?: unknown };
  throw new NothingToSee(typeof detail === 'string' ? detail : 'It could not be asked.');
}

/** Asked past the edge, so it is no visit that counts, and no cache answers for the site. */
export async function lookAtFrontPage(subject: Subject): Promise<{ text: string; found: FrontPage }> {
  const { services, site } = subject;
  // Marked first: what is marked as sleeping is stopped.
  if (site.is_sleeping) await siteReports(services).woke(site.id);
  const begun = performance.now();
  const request = { method: 'GET', path: '/', timeoutMs: FRONT_PAGE_MS, maxBytes: MAX_PAGE_BYTES };
  const { status } = await visitSite(services, site.id, request);
  const duration_ms = Math.round(performance.now() - begun);
  const log = await visitsOfFrontPage(subject).catch(() => []);
  const since = status >= 500 ? failingSince(log) : { failing_since: null, last_good_at: null };
  return { text: `The front page answers ${status} in ${duration_ms} ms.`, found: { status, duration_ms, ...since } };
}

/** How many requests the site had in a day, and how long they took. */
export async function lookAtTraffic(
  subject: Subject,
): Promise<{ text: string; found: { requests: number; p95_ms: number | null } }> {
  const from = new Date(Date.now() - DAY_MS).toISOString();
  const { fqdn } = subject.site;
  const usage = await read<{ points: { requests: number }[]; p95_ms: number | null }>(
    subject,
    'getSiteUsage',
    { fqdn },
    { from, step: 'hour' },
  );
  const requests = usage.points.reduce((sum, point) => sum + point.requests, 0);
  const { p95_ms } = usage;
  const times = p95_ms === null ? '' : `, 95 of 100 within ${p95_ms} ms`;
  return { text: `${requests} requests in the last 24 hours${times}.`, found: { requests, p95_ms } };
}

interface Visit {
  at: string;
  path: string;
  status: number;
}

async function visitsOfFrontPage(subject: Subject): Promise<Visit[]> {
  const { fqdn } = subject.site;
  const query = { kind: 'access', size: 100 };
  const { results } = await read<{ results: (Visit & { kind: string })[] }>(subject, 'listSiteLog', { fqdn }, query);
  return results.filter(({ kind, path }) => kind === 'access' && (path === '/' || path.startsWith('/?')));
}

/** Newest first: the failures up to now in a row, and what was before them. */
function failingSince(visits: Visit[]): Pick<FrontPage, 'failing_since' | 'last_good_at'> {
  const good = visits.findIndex(({ status }) => status < 500);
  const first = (good === -1 ? visits : visits.slice(0, good)).at(-1);
  const before = visits[good];
  return { failing_since: first ? new Date(first.at) : null, last_good_at: before ? new Date(before.at) : null };
}

interface Logged {
  kind: string;
  at: string;
  level: string;
  message: string;
  file: string | null;
  line: number | null;
}

/** Each error once, with when it was seen last. A stack trace is for whoever reads the log. */
export async function lookAtErrors(subject: Subject): Promise<{ text: string; found: LastError[] }> {
  const { results } = await read<{ results: Logged[] }>(subject, 'listSiteLog', { fqdn: subject.site.fqdn });
  const seen = new Map<string, LastError>();
  for (const { kind, at, level, message, file, line } of results) {
    if (kind !== 'error') continue;
    const first = maskText((message.split('\n', 1)[0] ?? '').slice(0, MAX_LINE)).slice(0, MAX_MESSAGE);
    const key = `${level} ${file} ${line} ${first}`;
    if (!seen.has(key)) seen.set(key, { at: new Date(at), level, message: first, file, line });
  }
  const found = [...seen.values()].slice(0, SHOWN_ERRORS);
  const fatal = found.filter(({ level }) => level === 'fatal').length;
  const text =
    found.length === 0 ? 'Nothing in the log.' : `${found.length} different errors in the log, ${fatal} fatal.`;
  return { text, found };
}

interface Records {
  verified: boolean;
}

export async function lookAtDns(subject: Subject): Promise<{ text: string; found: { ok: boolean; text: string } }> {
  const { site } = subject;
  if (site.is_testing)
    return { text: 'The name is the platform’s own; there is nothing to set up.', found: { ok: true, text: '' } };
  const { status, body } = await ask(subject, 'verifyDomain', { query: { fqdn: site.fqdn } });
  if (status === 200 && (body as Records).verified) {
    const text = 'The records of the name lead here.';
    return { text, found: { ok: true, text } };
  }
  const { detail } = body as { detail?: string | { msg: string }[] };
  if (status !== 422)
    throw new NothingToSee(typeof detail === 'string' ? detail : 'The name servers could not be asked.');
  const text = Array.isArray(detail)
    ? detail.map(({ msg }) => msg.replace(/^Value error, /, '')).join('; ')
    : String(detail);
  return { text, found: { ok: false, text } };
}

const CERTIFICATE_MS = 8_000;
const SOON_DAYS = 14;

/** Where the platform is reached by https, whoever stands before it shows a certificate for each site. */
export async function lookAtCertificate({
  services,
  site,
  signal,
}: Subject): Promise<{ text: string; found: { ok: boolean } }> {
  const url = new URL(siteUrl(services, site.fqdn));
  if (url.protocol !== 'https:')
    return { text: 'The platform is reached without https, so there is no certificate.', found: { ok: true } };
  const socket = await services.outbound
    .connect(site.fqdn, Number(url.port || 443), CERTIFICATE_MS)
    .catch(() => Promise.reject(new NothingToSee('Nobody answers at the name with https.')));
  const limit = AbortSignal.timeout(CERTIFICATE_MS);
  try {
    const tls = await handshake(socket, site.fqdn, signal ? AbortSignal.any([signal, limit]) : limit);
    const judged = judge(tls);
    tls.destroy();
    return judged;
  } catch {
    return { text: 'There is no answer with https at the name.', found: { ok: false } };
  } finally {
    socket.destroy();
  }
}

function judge(tls: TLSSocket): { text: string; found: { ok: boolean } } {
  const until = new Date(tls.getPeerCertificate().valid_to);
  const days = Math.floor((until.getTime() - Date.now()) / 86_400_000);
  if (!tls.authorized)
    return {
      text: `Browsers refuse the certificate (${tls.authorizationError?.message ?? 'unknown reason'}).`,
      found: { ok: false },
    };
  const isSoon = days < SOON_DAYS;
  return { text: `The certificate is valid for ${days} more days.`, found: { ok: !isSoon } };
}
