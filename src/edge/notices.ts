import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { SiteFailure, type SiteFailureReason } from '#runtimes/runtime.ts';
import { hasBody } from './framing.ts';

/**
 * The pages that the edge shows in a site's place. Each says what happened and whose turn it is (the visitor's, the
 * site owner's or the platform's), and nothing of what is inside.
 */
export interface Notice {
  status: number;
  /** A short word for programs, as in `site.asleep`. */
  code: string;
  title: string;
  text: string;
  whoseTurn: string;
  /** The page asks again by itself after this time. */
  retrySeconds?: number;
  headers?: Record<string, string | string[]>;
}

const VISITOR = 'Check the address, or go back to where you came from.';
const WAIT = 'You need not do anything: this page tries again by itself.';
const OWNER = 'The owner of this site can mend this. If that is you, look at the site’s log and plugins.';
const PLATFORM = 'This is the hosting platform’s to mend, not yours nor the site owner’s.';

export const NOTICES = {
  noSite: notice(404, 'site.not_found', 'No site here', 'There is no site at this address.', VISITOR),
  notFound: notice(404, 'path.not_found', 'Not found', 'There is nothing at this address.', VISITOR),
  badRequest: notice(400, 'request.malformed', 'Bad request', 'This request can not be understood.', VISITOR),
  tooLarge: notice(413, 'request.too_large', 'Too large', 'What was sent is larger than this site takes.', VISITOR),
  tooSlow: notice(408, 'request.too_slow', 'Too slow', 'What was sent came too slowly to wait for it.', VISITOR),
  firewall: notice(
    403,
    'site.firewall',
    'Not for this address',
    'This site is open to chosen network addresses only, and yours is not among them.',
    'The owner of this site can add your address.',
  ),
  signIn: notice(
    401,
    'site.sign_in',
    'Sign in',
    'This site asks for a user name and password.',
    'The owner of this site can give them to you.',
  ),
  suspended: notice(
    403,
    'site.suspended',
    'This site is suspended',
    'The hosting platform has suspended the team that runs this site.',
    'The owner of this site should get in touch with the platform’s support.',
  ),
  expired: notice(
    402,
    'site.expired',
    'This site is paused',
    'The plan of the team that runs this site has ended. Nothing is deleted yet.',
    'The owner of this site can renew the plan in the dashboard.',
  ),
  preview: notice(
    403,
    'preview.sign_in',
    'Open it from the dashboard',
    'This is a preview of a site, and only whoever opens it from the dashboard can see it.',
    'Open the preview from the dashboard, with a new link.',
  ),
  previewInFrame: notice(
    403,
    'preview.no_cookie',
    'Not in this browser’s frames',
    'Your browser keeps no cookie for a page that stands inside of another one, and without one nobody is let in here.',
    'Open the preview in a tab of its own: the dashboard has a button for that.',
  ),
  passed: notice(303, 'site.passed', 'Welcome', 'You are let in.', 'Your browser goes there by itself.'),
  previewOpened: notice(
    303,
    'preview.opened',
    'Here it is',
    'The preview is open for you.',
    'Your browser goes there by itself.',
  ),
  previewEnded: notice(
    410,
    'preview.ended',
    'This preview has ended',
    'This was a throw-away copy of a site, and it is gone.',
    'You can make a new one from the dashboard.',
  ),
  starting: notice(503, 'edge.starting', 'Just a moment', 'The platform is starting.', WAIT, 3),
  creating: notice(503, 'site.creating', 'Almost there', 'This site is being set up.', WAIT, 3),
  held: notice(503, 'site.held', 'Back in a moment', 'Somebody works on this site right now.', WAIT, 5),
  external: notice(
    502,
    'external.failed',
    'No answer',
    'This part of the site lives on another server, and that one sent no valid response.',
    OWNER,
  ),
  loop: notice(
    508,
    'external.loop',
    'Round and round',
    'This part of the site lives on another server, and that one leads back to this platform.',
    'The owner of this site can mend this. If that is you, look at the site’s external paths.',
  ),
  internal: notice(500, 'edge.failed', 'Something broke', 'The platform could not answer this request.', PLATFORM),
  timeout: notice(504, 'site.timeout', 'Too slow', 'The site took longer to answer than it may.', OWNER),
  memory: notice(500, 'site.memory', 'Out of memory', 'The site needed more memory than it may use.', OWNER),
  crash: notice(502, 'site.crash', 'The site broke', 'The site sent no complete and valid response.', OWNER),
  start: notice(503, 'site.start', 'Not awake yet', 'The site did not start in time.', `${PLATFORM} ${WAIT}`, 10),
  overload: notice(503, 'site.overload', 'Very busy', 'Too many visitors wait for this site right now.', WAIT, 10),
  yielded: notice(
    503,
    'site.yielded',
    'This took too long',
    'This took long while visitors of other sites waited for the machine, and was ended for them.',
    OWNER,
    10,
  ),
  stopped: notice(503, 'site.stopped', 'Just a moment', 'The site is being stopped.', WAIT, 3),
  interrupted: notice(503, 'site.interrupted', 'Just a moment', 'The site was stopped while it answered.', WAIT, 3),
} satisfies Record<SiteFailureReason | string, Notice>;

function notice(
  status: number,
  code: string,
  title: string,
  text: string,
  whoseTurn: string,
  retrySeconds?: number,
): Notice {
  return { status, code, title, text, whoseTurn, ...(retrySeconds !== undefined && { retrySeconds }) };
}

/** A failure that knows what to show. */
export class NoticeError extends Error {
  readonly notice: Notice;
  constructor(shown: Notice, cause: unknown) {
    super(shown.text, { cause });
    this.name = 'NoticeError';
    this.notice = shown;
  }
}

export function noticeOf(error: unknown): Notice {
  if (error instanceof NoticeError) return error.notice;
  return error instanceof SiteFailure ? NOTICES[error.reason] : NOTICES.internal;
}

/** Answers with a notice where no answer has begun, else breaks it off. Returns the id that the page shows. */
export function sendNotice(response: ServerResponse, shown: Notice): string {
  const requestId = randomUUID();
  if (response.headersSent) {
    response.destroy();
    return requestId;
  }
  const { head, body } = renderNotice(shown, response.req.headers, requestId);
  // The rest of a body that nobody reads would be taken for the next request's.
  const hasUnreadBody = hasBody(response.req.headers) && !response.req.complete;
  response.writeHead(shown.status, { ...head, ...(hasUnreadBody && { connection: 'close' }) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
  return requestId;
}

function renderNotice(
  shown: Notice,
  headers: IncomingHttpHeaders,
  requestId: string,
): { head: Record<string, string | string[] | number>; body: Buffer } {
  const json = prefersJson(headers.accept);
  const body = Buffer.from(json ? toJson(shown, requestId) : toHtml(shown, requestId));
  const head = {
    'content-type': json ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'x-request-id': requestId,
    ...(shown.retrySeconds !== undefined && { 'retry-after': shown.retrySeconds }),
    ...shown.headers,
  };
  return { head, body };
}

function prefersJson(accept = ''): boolean {
  const json = accept.search(/application\/(?:[\w.-]+\+)?json/i);
  const html = accept.search(/text\/html/i);
  return json >= 0 && (html < 0 || json < html);
}

function toJson({ code, text, whoseTurn }: Notice, requestId: string): string {
  return JSON.stringify({ detail: `${text} ${whoseTurn}`, code, request_id: requestId });
}

function toHtml({ status, title, text, whoseTurn, retrySeconds }: Notice, requestId: string): string {
  const refresh = retrySeconds === undefined ? '' : `<meta http-equiv="refresh" content="${retrySeconds}">`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${title}</title>
<style>
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#5d636b;--ground:#f7f7f5}
@media (prefers-color-scheme:dark){:root{--ink:#eceef0;--soft:#9aa2ab;--ground:#16181b}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);font:17px/1.55 system-ui,sans-serif}
main{max-width:32rem;padding:2rem}h1{font-size:1.7rem;line-height:1.2;margin:0 0 .75rem}p{margin:0 0 .75rem}
footer{margin-top:2rem;color:var(--soft);font-size:.8rem}code{font:inherit;overflow-wrap:anywhere}
</style></head>
<body><main><h1>${title}</h1><p>${text}</p><p>${whoseTurn}</p>
<footer>${status} · <code>${requestId}</code></footer></main></body></html>`;
}
