import type { ServerResponse } from 'node:http';
import { escapeHtml } from '#core/escape-html.ts';
import type { Notice } from '#edge/notices.ts';
import type { EditorState } from '#runtimes/runtime.ts';

const WAIT = 'You need not do anything: this page tries again by itself.';

/** What is shown while there is no editor to show. */
export function noticeOf(state: EditorState): Notice | undefined {
  if (state.state === 'running') return undefined;
  const shown = { status: 503, code: `editor.${state.state}` };
  if (state.state === 'asleep')
    return {
      ...shown,
      title: 'The editor sleeps',
      text: 'Nobody has used it for a while.',
      whoseTurn: 'Open it anew.',
    };
  if (state.state === 'failed') {
    const whoseTurn =
      'This page tries again when you load it anew. If that does not help, tell the platform’s support.';
    return { ...shown, title: 'No editor here', text: escapeHtml(state.reason), whoseTurn };
  }
  const { step, done, of } = state.progress;
  const text = `The editor is being installed, which happens once: ${step}, step ${done + 1} of ${of}.`;
  return { ...shown, title: 'Almost there', text, whoseTurn: WAIT, retrySeconds: 2 };
}

export const FOREIGN: Notice = {
  status: 403,
  code: 'editor.foreign_origin',
  title: 'Not from there',
  text: 'A page of another site asked for this editor.',
  whoseTurn: 'Open the editor from the dashboard.',
};

interface SignInPage {
  action: string;
  site: string;
  dashboardUrl: string;
  /** What was wrong with the last try. */
  fault?: { status: number; text: string; retrySeconds?: number };
}

/** Asks who somebody is. */
export function sendSignIn(response: ServerResponse, { action, site, dashboardUrl, fault }: SignInPage): void {
  const body = Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Code editor of ${escapeHtml(site)}</title>
<style>
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#5d636b;--ground:#f7f7f5;--line:#c9cdd2;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#eceef0;--soft:#9aa2ab;--ground:#16181b;--line:#3a4047;--bad:#ffb4ab}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);font:17px/1.55 system-ui,sans-serif}
main{width:min(26rem,100% - 3rem);padding:2rem 0}h1{font-size:1.5rem;line-height:1.2;margin:0 0 .25rem}p{margin:0 0 1.25rem;color:var(--soft);overflow-wrap:anywhere}
a,button{display:block;width:100%;box-sizing:border-box;padding:.7rem 1rem;border-radius:.5rem;font:inherit;text-align:center;cursor:pointer}
a{background:var(--ink);color:var(--ground);text-decoration:none;margin-bottom:1.5rem}button{background:none;color:inherit;border:1px solid var(--line)}
label{display:block;margin-bottom:.35rem}input{display:block;width:100%;box-sizing:border-box;padding:.65rem .8rem;margin-bottom:.75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem}
[role=alert]{color:var(--bad);margin-bottom:.75rem}
</style></head>
<body><main><h1>Code editor</h1><p>${escapeHtml(site)}</p>
<a href="${escapeHtml(dashboardUrl)}">Open with your account</a>
<form method="post" action="${action}"><label for="password">Or with the editor’s password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
${fault ? `<p role="alert">${escapeHtml(fault.text)}</p>` : ''}<button>Open</button></form></main></body></html>`);
  if (fault?.retrySeconds !== undefined) response.setHeader('retry-after', fault.retrySeconds);
  response.writeHead(fault?.status ?? 401, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
